// What a player and the table say to each other is sealed, so that nobody in between can read or make it: package
// controller/seal says how, and against what. This is the player's end, by WebCrypto and an HPKE library upon it; a browser
// offers WebCrypto to pages that came over https or from localhost.

import { Aes128Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";

/** Between whom something is sealed. */
export interface Channel {
  studio: string;
  table: string;
  player: string;
}

/** A request as it is sent. */
export interface SealedRequest {
  v: 1;
  epoch: number;
  pub: string;
  n: number;
  ct: string;
}

/** What the table tells as it is sent. */
export interface SealedMessage {
  v: 1;
  epoch: number;
  hand: number;
  seq: number;
  login: string;
  enc: string;
  ct: string;
  mac: string;
}

/** A message that is not from who has the key, or was changed on the way. */
export class Forged extends Error {}

/** How many requests a connection has numbers for. */
const perConnection = 2 ** 24;

/** The length that a plaintext is a multiple of. */
const block = 512;

const suite = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes128Gcm() });

/** readKey reads a player's key as a person enters it, undefined if it is none: 26 letters a to z and digits 2 to 7; case,
 * spaces and hyphens do not matter. What it gives can be kept by a browser, but not be read again. */
export async function readKey(text: string): Promise<CryptoKey | undefined> {
  const key = text.replaceAll(/[ -]/g, "").toUpperCase();
  if (!/^[A-Z2-7]{26}$/.test(key)) return undefined;
  return crypto.subtle.importKey("raw", bytes(key), "HKDF", false, ["deriveKey"]);
}

/** Seal is a player's end, from one login on. */
export class Seal {
  readonly #pair: CryptoKeyPair;
  readonly #pub: Uint8Array<ArrayBuffer>;
  readonly #info: string;
  readonly #requests: CryptoKey;
  readonly #messages: CryptoKey;
  readonly #farewells: CryptoKey;
  /** Names the login. */
  readonly login: string;
  #n = 0;
  /** The last number of the connection. */
  #until = 0;
  readonly #last = new Map<string, { epoch: number; seq: number }>();

  private constructor(pair: CryptoKeyPair, pub: Uint8Array<ArrayBuffer>, login: string, info: string, requests: CryptoKey, messages: CryptoKey, farewells: CryptoKey) {
    this.#pair = pair;
    this.#pub = pub;
    this.login = login;
    this.#info = info;
    this.#requests = requests;
    this.#messages = messages;
    this.#farewells = farewells;
  }

  /** begin begins a login, with a key that readKey gave. A pair of its own is for tests. */
  static async begin(key: CryptoKey, ch: Channel, pair?: CryptoKeyPair): Promise<Seal> {
    pair ??= (await crypto.subtle.generateKey("X25519", false, ["deriveBits"])) as CryptoKeyPair;
    const pub = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", pub));
    const login = Array.from(sum.slice(0, 8), (b) => b.toString(16).padStart(2, "0")).join("");
    const info = `tavolo/v1|${ch.studio}|${ch.table}|${ch.player}|${login}`;
    const derived = (what: string) => ({ name: "HKDF", hash: "SHA-256", salt: pub, info: bytes(`${info}|${what}`) });
    const requests = await crypto.subtle.deriveKey(derived("request"), key, { name: "AES-GCM", length: 128 }, false, ["encrypt"]);
    const mac = { name: "HMAC", hash: "SHA-256", length: 256 };
    const messages = await crypto.subtle.deriveKey(derived("message"), key, mac, false, ["verify"]);
    const farewells = await crypto.subtle.deriveKey(derived("farewell"), key, mac, false, ["sign"]);
    return new Seal(pair, pub, login, info, requests, messages, farewells);
  }

  /** seal seals a request for a run of the table. One that is sent again is sealed again. */
  async seal(epoch: number, request: string): Promise<SealedRequest> {
    const n = ++this.#n;
    const iv = new Uint8Array(12);
    new DataView(iv.buffer).setBigUint64(4, BigInt(n));
    const how = { name: "AES-GCM", iv, additionalData: bytes(`act|${epoch}|${n}`) };
    const ct = await crypto.subtle.encrypt(how, this.#requests, pad(bytes(request)));
    return { v: 1, epoch, pub: encode(this.#pub), n, ct: encode(new Uint8Array(ct)) };
  }

  /** farewell begins a connection, and gives what proves its farewell. */
  async farewell(): Promise<{ n: number; mac: string }> {
    this.#n = Math.max(this.#n, this.#until);
    const n = (this.#until = this.#n + perConnection);
    return { n, mac: encode(new Uint8Array(await crypto.subtle.sign("HMAC", this.#farewells, bytes(`gone|${n}`)))) };
  }

  /** open gives what the table told on the topic that ends in `leaf`; undefined for what is to be passed over: for another
   * login, or older than what came before. */
  async open(leaf: string, m: SealedMessage): Promise<string | undefined> {
    if (m.login !== this.login) return undefined;
    const aad = bytes(`${leaf}|${m.epoch}|${m.hand}|${m.seq}`);
    const [enc, ct] = [decode(m.enc), decode(m.ct)];
    if (!(await crypto.subtle.verify("HMAC", this.#messages, decode(m.mac), joined(aad, new Uint8Array(1), enc, ct)))) {
      throw new Forged(`${leaf}: not sealed with the key, or changed on the way`);
    }
    const last = this.#last.get(leaf);
    if (last && (m.epoch < last.epoch || (m.epoch === last.epoch && m.seq < last.seq))) return undefined;
    const text = await suite.open({ recipientKey: this.#pair, enc, info: bytes(this.#info) }, ct, aad);
    this.#last.set(leaf, { epoch: m.epoch, seq: m.seq });
    return new TextDecoder().decode(text);
  }
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function joined(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) {
    all.set(p, at);
    at += p.length;
  }
  return all;
}

/** pad fills JSON up with spaces. */
function pad(text: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(Math.ceil(text.length / block) * block).fill(0x20);
  all.set(text);
  return all;
}

/** encode writes base64url without padding, decode reads it. */
function encode(b: Uint8Array): string {
  return btoa(String.fromCharCode(...b)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}
