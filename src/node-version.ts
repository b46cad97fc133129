/**
 * Whether this Node can run the program at all. Written for any Node that knows modules, and importing
 * nothing: what it is loaded with must not fail before it has spoken.
 */

/** The oldest major version; `engines` in package.json says the same. */
export const OLDEST_NODE = 24;

/** What to say where this version of Node is too old (`20.20.2`); null if it will do. */
export function nodeProblem(version: string): string | null {
  const major = Number.parseInt(version, 10);
  if (major >= OLDEST_NODE) return null;
  return (
    `donor-sync needs Node ${OLDEST_NODE} or later, and this is Node ${version}.\n` +
    'Install a newer one (https://nodejs.org/en/download), or put one first on the path.\n' +
    `To have one for this folder alone: npm install node@${OLDEST_NODE}, then "npx donor-sync".\n`
  );
}
