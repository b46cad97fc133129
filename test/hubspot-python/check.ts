/**
 * Uses the sandbox with HubSpot's official Python client, and prints whether each step succeeded. Run `node
 * test/hubspot-python/check.ts PATH_OF_PYTHON`. This Python installation must contain the client
 * (`hubspot-api-client`). The default for the argument is HUBSPOT_PYTHON. If neither is set, the script checks nothing,
 * and this does not count as a failure.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startHubspotSandbox } from '../../sandbox/hubspot/index.ts';

const CONTACTS = 250;
const STEPS = path.join(import.meta.dirname, 'check.py');

const python = process.argv[2] ?? process.env['HUBSPOT_PYTHON'];
if (python === undefined) {
  process.stdout.write(
    'There is no Python with the client: nothing is checked. Give its path, or set HUBSPOT_PYTHON.\n',
  );
} else {
  process.exitCode = await check(python);
}

/** Runs the steps and returns their exit code. */
async function check(program: string): Promise<number> {
  const account = await startHubspotSandbox({ contacts: CONTACTS, searchLagMs: 0 });
  try {
    const child = spawn(program, [STEPS], { stdio: ['pipe', 'inherit', 'inherit'] });
    const { baseUrl, token } = account;
    child.stdin.end(JSON.stringify({ baseUrl, token, contacts: CONTACTS }));
    const [code] = await once(child, 'exit');
    return code === 0 ? 0 : 1;
  } finally {
    await account.close();
  }
}
