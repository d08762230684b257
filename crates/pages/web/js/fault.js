// Code for both data sources: the root of the pages, and faults.

/** The root address of the pages, under any path. The folder `assets` may contain a folder for each version. */
export const root = new URL(import.meta.url.slice(0, import.meta.url.lastIndexOf("/assets/") + 1));

/** A fault as the server describes it: `code`, `message`, and further members. */
export class Fault extends Error {
  constructor(error) {
    super(error.message);
    Object.assign(this, error);
  }
}
