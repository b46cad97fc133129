/** Runs a stand-in in a separate process for tests that kill it. The command is `node serve.ts DATABASE`. */

import { startPartnerSandbox } from '../../../sandbox/partner/index.ts';
import { anEngineOf } from './hand-made-engine.ts';
import { WORLD } from './people.ts';

const { baseUrl, rootUrl, apiKey } = await startPartnerSandbox({
  db: process.argv[2] ?? '',
  world: WORLD,
  engine: anEngineOf([[0, 40, 0.8]]),
  rate: 0,
  credits: 50,
  networkJobTimeMs: 1500,
});
process.stdout.write(`${JSON.stringify({ baseUrl, rootUrl, apiKey })}\n`);
