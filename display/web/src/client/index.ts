// A client for one table of Tavolo, for whoever writes a page or a program of their own: it needs no document and draws
// nothing. The page in ../ is written with it. README.md beside this file shows how to use it.

export { Client, Refused, type Account, type Answer, type Dial, type Ears, type Farewell, type Link, type Options } from "./client";
export { frames, over, type Hand } from "./hands";
export { readKey } from "./seal";
export { members, nothing, offered, ownSeats, split, type Entry, type Message, type Said, type Table } from "./table";
export { overWebSocket } from "./websocket";
export * from "./wire";
