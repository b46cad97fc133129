/**
 * Whether this Node can run the program at all. Written for any Node that knows modules, and importing
 * nothing: what it is loaded with must not fail before it has spoken.
 */

/**
 * The oldest version: the highest that a package of the program asks for, which is undici. `engines` in package.json says
 * the same, and the bundle is written for it.
 */
export const OLDEST_NODE = '22.19.0';

/** What to say where this version of Node is too old (`20.20.2`); null if it will do. */
export function nodeProblem(version: string): string | null {
  if (isAtLeast(toNumbers(version), toNumbers(OLDEST_NODE))) return null;
  return (
    `donor-sync needs Node ${OLDEST_NODE} or later, and this is Node ${version}.\n` +
    'Install a newer one (https://nodejs.org/en/download), or put one first on the path.\n' +
    'To have one for this folder alone: npm install node@24, then "npx donor-sync".\n'
  );
}

function toNumbers(version: string): number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10));
}

function isAtLeast(version: readonly number[], oldest: readonly number[]): boolean {
  for (const [at, least] of oldest.entries()) {
    const part = version[at] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
