import { z } from 'zod';
import type { CrmStandIn } from '../crm/stand-in.ts';

const ownSchema = z.strictObject({
  saveMode: z.enum(['untilFirst', 'whole']).exactOptional(),
  maxRows: z.number().exactOptional(),
  strictSql: z.boolean().exactOptional(),
});

export const civicrmStandIn: CrmStandIn = {
  kind: 'civicrm',
  serves: 'a CiviCRM site',
  examples: `
Examples:
  donor-sync sandbox civicrm --port 4400
  donor-sync sandbox civicrm --port 4400 --contacts 20000 --max-rows 100 --strict-sql

The line on stdout contains the base URL and an API key. At the root of the same address: GET
/_sandbox/people, /_sandbox/requests, /_sandbox/record/ID, /_sandbox/ledger, PUT /_sandbox/faults,
/_sandbox/variants, /_sandbox/permissions, /_sandbox/record-access, POST /_sandbox/edit,
/_sandbox/rules.`,
  options: [
    {
      name: 'saveMode',
      flags: '--save-mode <mode>',
      description: 'what remains of a refused request: the records before the refused one, or none',
      value: ['untilFirst', 'whole'],
    },
    {
      name: 'maxRows',
      flags: '--max-rows <n>',
      description: "contacts in one request that PHP's limits allow, 0 for any number (default: 0)",
      value: 'count',
    },
    {
      name: 'strictSql',
      flags: '--strict-sql',
      description: 'MySQL refuses values that are too long, instead of cutting them off',
      value: 'given',
    },
  ],
  async start(options, own) {
    const { startCivicrmSandbox } = await import('./index.ts');
    const started = await startCivicrmSandbox({ ...options, variants: ownSchema.parse(own) });
    const { rootUrl: _, close, ...line } = started;
    return { line, close };
  },
};
