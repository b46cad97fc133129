/** The part of results that describes a client; a file of its own, so that `status` loads little. */
import { z } from 'zod';
import { runReportSchema } from '../core/run.ts';

/** What is said of a client wherever it is listed. */
export const integrationShape = {
  id: z.string(),
  name: z.string().nullable(),
  crm: z.string().describe('The kind of CRM, such as salesforce'),
  schedule: z
    .object({
      cron: z.string(),
      timezone: z.string(),
      nextRunAt: z.iso.datetime().nullable(),
      paused: z.boolean(),
    })
    .nullable()
    .describe('Null if the client runs only on request'),
  lastRun: runReportSchema.nullable(),
  lastSuccessAt: z.iso.datetime().nullable(),
};
