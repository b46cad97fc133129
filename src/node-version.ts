/**
 * Checks the version of Node. This file runs on any version of Node that supports modules. This file imports no other
 * file, because nothing may fail before the file's message is shown.
 */

/**
 * The oldest version of Node that works. This version is the highest version that a package of donor-sync requires
 * (undici). `engines` in package.json contains the same version, and the bundle is built for it.
 */
export const OLDEST_NODE = '22.19.0';

/** Returns a message if this version of Node is too old, such as `20.20.2`. Returns null if donor-sync can run. */
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
