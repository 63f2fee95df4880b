// A player who checks where that is free, and folds otherwise. Arguments: address, studio, table, user, password, key.
import { Client, overWebSocket, readKey } from "tavolo-client";

const [url = "", studio = "", table = "", user = "", password = "", secret = ""] = process.argv.slice(2);
const key = await readKey(secret); // undefined if it is none
let answered = 0;
const client = new Client({
  account: async () => ({ studio, table, user, password, key }),
  dial: overWebSocket(url),
  changed: ({ turn, holes, snapshot }) => {
    if (turn?.kind !== "action" || turn.turn === answered) return;
    answered = turn.turn;
    console.log(`hand ${turn.hand}: ${holes[turn.seat]?.cards.join(" ")} | ${snapshot?.view.board.join(" ")}`);
    void act(turn.legal?.check ? "check" : "fold", turn.epoch, turn.turn);
  },
});
async function act(action: "check" | "fold", epoch: number, turn: number) {
  const answer = await client.ask({ action, epoch, turn });
  console.log(answer.ok ? action : `refused: ${answer.code}, ${answer.text}`);
}
await client.run(); // until client.close(), or until the broker refuses the account
