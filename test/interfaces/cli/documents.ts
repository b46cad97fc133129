import { z } from 'zod';

/** Paid values that wait to be written. */
export const valuesWaitingSchema = z.strictObject({
  values: z.int(),
  reasons: z.array(
    z.strictObject({
      field: z.string(),
      cause: z.string(),
      code: z.string().nullable(),
      contacts: z.int(),
      text: z.string(),
    }),
  ),
});

/**
 * The report contains the fields from design 4.3, and the values that wait to be written. An extra or missing field is
 * an error.
 */
const reportSchema = z.strictObject({
  id: z.uuid(),
  integration: z.string(),
  trigger: z.string(),
  status: z.string(),
  reason: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  contacts: z.strictObject({
    read: z.int(),
    chosen: z.int(),
    submitted: z.int(),
    enhanced: z.int(),
    written: z.int(),
    unchanged: z.int(),
    skipped: z.int(),
    failed: z.int(),
    held: z.int(),
    waiting: z.int(),
  }),
  credits: z.strictObject({
    enhancements: z.strictObject({ spent: z.int(), remaining: z.int() }),
    networks: z.strictObject({ spent: z.int(), remaining: z.int() }),
  }),
  networks: z.array(z.unknown()),
  calls: z.strictObject({ partner: z.int(), crm: z.int(), throttled: z.int() }),
  valuesWaiting: valuesWaitingSchema.optional(),
});

/** The output of `sync --json` and `runs --json`. */
export const runsSchema = z.strictObject({ runs: z.array(reportSchema) });

/** The output of `runs --json`. */
export const runListSchema = runsSchema.extend({ next: z.string().nullable() });

/** The document that `--json` prints when a command fails. */
export const errorSchema = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
});

/** The output of `holds --json`. */
export const holdsSchema = z.strictObject({
  holds: z.array(
    z.looseObject({
      id: z.string(),
      contact: z.string(),
      kind: z.string(),
      batch: z.string().nullable(),
      names: z
        .object({
          contact: z.string().nullable(),
          profile: z.string().nullable(),
          problem: z.string().nullable(),
        })
        .nullish(),
    }),
  ),
  batches: z.array(z.lazy(() => batchSchema)),
});

const batchSchema = z.strictObject({
  id: z.uuid(),
  integration: z.string(),
  kind: z.enum([
    ...([
      'identity_mass_change',
      'paid_since_backup',
      'contacts_missing',
      'mass_opt_out',
      'erasure_requested',
    ] as const),
  ]),
  reason: z.string(),
  count: z.int(),
  parts: z.record(z.string(), z.int()),
  credits: z.int(),
  decisions: z.array(z.enum(['approve', 'reject'])),
  since: z.iso.datetime(),
});

/** The output of `holds approve|reject --batch ID --json`. */
export const decidedBatchSchema = z.strictObject({
  batch: z.strictObject({
    id: z.uuid(),
    integration: z.string(),
    decision: z.string(),
    count: z.int(),
    credits: z.int(),
  }),
});

/** The output of `plan --json`, as far as tests use it. */
export const plansSchema = z.strictObject({
  plans: z.array(
    z.looseObject({
      enhance: z.record(z.string(), z.int()),
      leave: z.record(z.string(), z.int()),
      waiting: z.object({
        profiles: z.int(),
        changes: z.array(
          z.object({ crmId: z.string(), field: z.string(), from: z.unknown(), to: z.unknown() }),
        ),
      }),
    }),
  ),
});

/** The output of `doctor --json`. */
export const findingsSchema = z.strictObject({
  findings: z.array(
    z.strictObject({
      integration: z.string().nullable(),
      subject: z.string(),
      ok: z.boolean(),
      message: z.string(),
      fix: z.string().nullable(),
      command: z.string().nullable(),
      cause: z.string().nullable(),
    }),
  ),
  causes: z.int(),
});
