// What both ways to the data share: where the pages begin, and how a fault is told.

/** Where the program's pages begin, whatever path they are served under. */
export const root = new URL("../../", import.meta.url);

/** What went wrong, as the server says it: `code`, `message`, and what else it knows. */
export class Fault extends Error {
  constructor(error) {
    super(error.message);
    Object.assign(this, error);
  }
}
