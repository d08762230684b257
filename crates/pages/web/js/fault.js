// Code for both data sources: the root of the pages, and faults.

/** The root address of the pages, under any path. */
export const root = new URL("../../", import.meta.url);

/** A fault as the server describes it: `code`, `message`, and further members. */
export class Fault extends Error {
  constructor(error) {
    super(error.message);
    Object.assign(this, error);
  }
}
