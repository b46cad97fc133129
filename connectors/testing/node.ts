/** Checks which version of Node runs the kit. */
import { nodeProblem, OLDEST_NODE } from '../../src/node-version.ts';

/**
 * Returns a message if this version of Node (for example `20.20.2`) is too old for the kit. Returns null if the kit can
 * run.
 */
export function kitProblem(version: string): string | null {
  if (nodeProblem(version) === null) return null;
  return (
    `Node ${OLDEST_NODE} or later is needed, and this is Node ${version}. The connector was not tested. ` +
    'To have a newer Node for this folder alone, run: npm install --save-dev node@24. Then run: npm test.'
  );
}
