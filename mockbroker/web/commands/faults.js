// Commands of a fault that is there.

import { path } from "../api.js";
import { command, post, python } from "./command.js";

/** Commands of a fault. */
export function faultCommands(fault, act) {
  const find = `fault = next(each for each in cluster.faults if each.name == ${python(fault.id)})`;
  return [
    fault.held > 0 && command("Release", { title: `Release what ${fault.id} holds`, act, build: () => post(["faults", fault.id, "release"], undefined, `${find}\nfault.release()`), done: ({ released }) => `Released: ${released}.` }),
    command("Remove", { title: `Remove the fault ${fault.id}`, act, about: "The calls that it holds are released.", build: () => ({ method: "DELETE", where: path(["faults", fault.id]), python: `${find}\nfault.remove()` }) }),
  ];
}
