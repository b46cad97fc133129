import { z } from 'zod';

const flag = z.string().trim().min(1).optional();

/** The options of `init`, as commander names them. */
export const initFlagsSchema = z.object({
  yes: z.boolean().default(false),
  force: z.boolean().default(false),
  config: flag,
  crm: flag,
  name: flag,
  id: flag,
  schedule: flag,
  timezone: flag,
  partnerUrl: flag,
  partnerKeyFile: flag,
  budgetPerRun: flag,
  budgetPerMonth: flag,
  optOutField: flag,
  crmUrl: flag,
  auth: flag,
  csvPath: flag,
  csvOutput: flag,
  csvId: flag,
  csvFirstName: flag,
  csvLastName: flag,
  csvFullName: flag,
  csvAddresses: z.array(z.string()).optional(),
  csvEmployers: z.array(z.string()).optional(),
  csvOptOut: flag,
  csvDeceased: flag,
  csvDoNotContact: flag,
  csvBadRows: flag,
  csvSheet: flag,
});

export type InitFlags = z.infer<typeof initFlagsSchema>;
