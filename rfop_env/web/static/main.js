// The page of `rfop serve`.
import { run } from "./page.js";

run();
