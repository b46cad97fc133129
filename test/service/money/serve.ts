/** Runs a service in a separate process, for tests that kill it: `node serve.ts DATABASE`. */

import { startService } from '../../../service/operation/index.ts';

const { baseUrl } = await startService({
  db: process.argv[2] ?? '',
  ...{ host: '127.0.0.1', port: 0, operatorPort: null, rate: 0, burst: 10 },
  ...{ chargeQueries: true, chargeSingleAdd: true, clock: Date.now },
  report: (error) => process.stderr.write(`${error.stack}\n`),
});
process.stdout.write(`${baseUrl}\n`);
