// SPDX-License-Identifier: MIT

/** Starts the translator, and then the page: the browser reads both at the same time. */

import { byId, messageOf, say } from "./dom";
import { Engine } from "./engine";
import { themeChoice } from "./theme";

/** The longest time of a call of the translator, in seconds. */
const LONGEST = 5;

const engine = new Engine("worker.js", LONGEST);
engine.start();
// Before the page, so that no other theme is seen.
themeChoice(byId("theme"));
import("./page")
   .then(({ start }) => start(engine))
   .catch((error: unknown) => say(messageOf(error), true));
