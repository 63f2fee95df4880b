// The table's end of what is sealed, for tests.

import { Aes128Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import { createHash, createHmac, hkdfSync } from "node:crypto";
import type { Channel, SealedMessage, SealedRequest } from "./seal";

const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes128Gcm() });

/** TableEnd is the table's end for one player, who has one login. */
export class TableEnd {
  #pub = Buffer.alloc(0);
  #info = "";
  #login = "";

  constructor(
    private readonly key: string,
    private readonly ch: Channel,
  ) {}

  #derived(what: string, n: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(hkdfSync("sha256", this.key, this.#pub, `${this.#info}|${what}`, n));
  }

  /** open gives what a request asks. The login is the request's. */
  async open(r: SealedRequest): Promise<string> {
    this.#pub = Buffer.from(r.pub, "base64url");
    this.#login = createHash("sha256").update(this.#pub).digest("hex").slice(0, 16);
    this.#info = `tavolo/v1|${this.ch.studio}|${this.ch.table}|${this.ch.player}|${this.#login}`;
    const key = await crypto.subtle.importKey("raw", this.#derived("request", 16), "AES-GCM", false, ["decrypt"]);
    const iv = Buffer.alloc(12);
    iv.writeBigUInt64BE(BigInt(r.n), 4);
    const how = { name: "AES-GCM", iv, additionalData: Buffer.from(`act|${r.epoch}|${r.n}`) };
    return Buffer.from(await crypto.subtle.decrypt(how, key, Buffer.from(r.ct, "base64url"))).toString();
  }

  /** seal seals to the login heard of last. */
  async seal(leaf: string, at: { epoch: number; hand: number; seq: number }, text: string): Promise<SealedMessage> {
    const aad = `${leaf}|${at.epoch}|${at.hand}|${at.seq}`;
    const recipientPublicKey = await suite.kem.importKey("raw", new Uint8Array(this.#pub).buffer, true);
    const sender = { recipientPublicKey, info: Buffer.from(this.#info) };
    const sealed = await suite.seal(sender, Buffer.from(text), Buffer.from(aad));
    const [enc, ct] = [Buffer.from(sealed.enc), Buffer.from(sealed.ct)];
    const mac = createHmac("sha256", this.#derived("message", 32)).update(`${aad}\0`).update(enc).update(ct).digest("base64url");
    return { v: 1, ...at, login: this.#login, enc: enc.toString("base64url"), ct: ct.toString("base64url"), mac };
  }
}
