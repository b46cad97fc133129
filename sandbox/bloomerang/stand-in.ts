import { z } from 'zod';
import type { CrmStandIn } from '../crm/stand-in.ts';

const ownSchema = z.strictObject({
  ratePerSecond: z.number().exactOptional(),
  profileFields: z.boolean().default(false),
  put: z.enum(['merges', 'replaces']).default('merges'),
  names: z.enum(['optional', 'required']).default('optional'),
});

export const bloomerangStandIn: CrmStandIn = {
  kind: 'bloomerang',
  serves: 'a Bloomerang database',
  examples: `
Examples:
  donor-sync sandbox bloomerang --port 4400 --profile-fields
  donor-sync sandbox bloomerang --port 4400 --contacts 20000 --put replaces --db database.db

The line on stdout contains the base URL, a private key (token), and the client ID and secret of an OAuth app.
At the root of the same address: GET /_sandbox/people, /_sandbox/requests, /_sandbox/record/constituent/ID,
PUT /_sandbox/faults, /_sandbox/variant, POST /_sandbox/edit, /_sandbox/rules, /_sandbox/custom-fields.`,
  options: [
    {
      name: 'ratePerSecond',
      flags: '--rate <n>',
      description: 'requests per second, 0 for no limit (default: 0)',
      value: 'count',
    },
    {
      name: 'profileFields',
      flags: '--profile-fields',
      description: 'the custom fields for profiles exist already',
      value: 'given',
    },
    {
      name: 'put',
      flags: '--put <behaviour>',
      description: 'whether a PUT keeps the parts that it does not name',
      value: ['merges', 'replaces'],
    },
    {
      name: 'names',
      flags: '--names <behaviour>',
      description: 'whether a PUT needs the names of an individual',
      value: ['optional', 'required'],
    },
  ],
  token: { noun: 'an OAuth access token', lifetimeMs: 3_600_000 },
  async start(options, own) {
    const [{ startBloomerangSandbox }, { PROFILE_FIELDS }] = await Promise.all([
      import('./index.ts'),
      import('./profile-fields.ts'),
    ]);
    const { profileFields, put, names, ...limits } = ownSchema.parse(own);
    const started = await startBloomerangSandbox({
      ...options,
      ...limits,
      variant: { put, names },
      customFields: profileFields ? PROFILE_FIELDS : [],
    });
    const { rootUrl: _, close, token: apiKey, ...line } = started;
    return { line: { ...line, apiKey }, close };
  },
};
