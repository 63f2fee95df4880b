import assert from "node:assert/strict";
import { test } from "node:test";
import vectors from "../../../../controller/seal/testdata/vectors.json";
import { Forged, readKey, Seal, type SealedMessage, type SealedRequest } from "./seal";

/** The examples' login. WebCrypto takes a private X25519 key in PKCS #8. */
async function login(): Promise<Seal> {
  const raw = Buffer.from(vectors.private, "base64url");
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b656e04220420", "hex"), raw]);
  const pair = {
    privateKey: await crypto.subtle.importKey("pkcs8", pkcs8, "X25519", true, ["deriveBits"]),
    publicKey: await crypto.subtle.importKey("raw", Buffer.from(vectors.public, "base64url"), "X25519", true, []),
  };
  const key = await readKey(vectors.key);
  return Seal.begin(key!, vectors.channel, pair);
}

test("requests are sealed as the examples are", async () => {
  const seal = await login();
  assert.equal(seal.login, vectors.login);
  for (const { text, sealed } of vectors.requests) {
    assert.deepEqual(await seal.seal(sealed.epoch, text), sealed as SealedRequest);
  }
});

test("farewells are those of the examples, each above what was asked before", async () => {
  const seal = await login();
  for (const { sealed, text } of vectors.requests) await seal.seal(sealed.epoch, text);
  for (const farewell of vectors.farewells) assert.deepEqual(await seal.farewell(), farewell);
  assert.ok(vectors.farewells.length >= 2);
});

test("messages open as the examples do, and those that were meddled with do not", async () => {
  const seal = await login();
  const opened: string[] = [];
  for (const { leaf, sealed, text, fault } of vectors.messages as { leaf: string; sealed: SealedMessage; text?: string; fault?: string }[]) {
    if (text === undefined) {
      await assert.rejects(seal.open(leaf, sealed), Forged, fault);
      continue;
    }
    assert.equal((await seal.open(leaf, sealed))?.trimEnd(), text);
    opened.push(leaf);
  }
  assert.ok(opened.length >= 2);
});

test("what is for another login, or was overtaken, is passed over", async () => {
  const [first] = vectors.messages as { leaf: string; sealed: SealedMessage }[];
  const key = await readKey(vectors.key);
  const other = await Seal.begin(key!, vectors.channel);
  assert.equal(await other.open(first!.leaf, first!.sealed), undefined);
});

test("a key is read as people write it", async () => {
  assert.ok(await readKey(" abcd-efgh ijkl mnop QRSTUVWX23"));
  for (const text of ["", "abc", "ABCDEFGHIJKLMNOPQRSTUVWX21", "ABCDEFGHIJKLMNOPQRSTUVWX234"]) assert.equal(await readKey(text), undefined, text);
  const key = (await readKey(vectors.key))!;
  assert.equal(key.extractable, false);
});
