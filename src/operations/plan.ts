/** Previews a sync. The preview writes nothing and spends no credits. */
import { z } from 'zod';
import type { OpenIntegration } from '../clients/open-integration.ts';
import type { FieldValue } from '../core/crm-field.ts';
import type { PersonDetails } from '../core/person.ts';
import { describeCount } from '../core/quantities.ts';
import { valuesWaitingSchema } from '../core/waiting-values.ts';
import { forecastNetworks, type NetworksForecast } from '../networks/forecast.ts';
import { forecastPaths, type PathsForecast } from '../paths/forecast-paths.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import { type Preview, previewRun, secondsAtLimit } from '../sync/preview.ts';
import { findClient } from './kit/clients.ts';
import { type ActingWorld, acting } from './kit/operation.ts';

/** The effect of a sync on contacts, networks and warm paths. */
export interface Plan extends Omit<Preview, 'credits'> {
  networks: NetworksForecast['networks'];
  warmPaths: PathsForecast;
  credits: {
    enhancements: Preview['credits']['enhancements'];
    networks: NetworksForecast['credits'];
  };
}

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);
const calls = z.object({ crm: count, partner: count });
const fieldValue: z.ZodType<FieldValue> = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const cost = z.object({
  needed: count,
  allowed: count,
  remaining: z.int(),
  limit: z.string().nullable().describe('Why the sync would spend fewer credits than it needs'),
});

const planSchema = z
  .object({
    integration: z.string(),
    read: count.describe('Number of contacts that the CRM reports as changed, or of all contacts'),
    enhance: counts.describe('Contacts to enhance, by reason'),
    leave: counts.describe('Contacts to leave as they are, by reason'),
    persons: z
      .array(
        z.object({
          first: z.boolean(),
          last: z.boolean(),
          firstWords: count,
          lastWords: count,
          addresses: count,
          employers: count,
          sameNames: z.boolean().describe('True if the first and last name are the same text'),
        }),
      )
      .describe('The kinds of data that some of the people to send have, without their names'),
    trial: z.object({
      state: z.enum(['off', 'accepted', 'on_trial', 'failed']),
      first: count
        .nullable()
        .describe('Number of people who are sent before the rest; null if all are sent at once'),
      minKnown: z.number().describe('The share of these people whom the service has to know'),
      answered: count,
      known: count,
    }),
    contacts: z
      .array(z.object({ crmId: z.string(), reason: z.string() }))
      .describe('The first contacts to enhance; empty in the API'),
    credits: z.object({ enhancements: cost, networks: cost }),
    unconfirmedMarks: z.array(
      z.object({ field: z.string(), contacts: count, marked: count, text: z.string() }),
    ),
    heldSince: z.iso
      .datetime()
      .nullable()
      .describe('Since when nothing has been spent; spending continues once you agree'),
    statuses: count.describe('Contacts whose status in the CRM has changed'),
    waiting: z.object({
      profiles: count.describe('Number of paid profiles that are waiting to be delivered'),
      changes: z
        .array(z.object({ crmId: z.string(), field: z.string(), from: fieldValue, to: fieldValue }))
        .describe('The changes that their delivery makes; empty in the API'),
    }),
    valuesWaiting: valuesWaitingSchema,
    fields: z.array(
      z.object({
        field: z.string(),
        from: z.string(),
        problem: z.string(),
        message: z.string(),
        fix: z.string(),
      }),
    ),
    missing: z
      .array(z.object({ name: z.string(), part: z.string(), wasReadable: z.boolean() }))
      .describe('Fields of names, addresses and employers that cannot be read'),
    networks: z.array(
      z.object({
        name: z.string(),
        members: count,
        joiners: count,
        leavers: count,
        toEnhance: count,
        problem: z.string().nullable(),
      }),
    ),
    warmPaths: z.object({ contacts: count, queries: count, calls }),
    calls,
    secondsAtLimit: z
      .number()
      .describe("The shortest possible time under the service's rate limit"),
  })
  .meta({ id: 'Plan' });

const inputSchema = z.object({
  integration: z.string().describe('The ID of the client'),
  contact: z
    .string()
    .min(1, { error: "Enter the contact's ID in the CRM." })
    .optional()
    .describe('The ID of one contact in the CRM; all contacts if left out'),
  full: z.boolean().default(false).describe('Plan a run that reads all contacts again'),
});

type PlanInput = z.output<typeof inputSchema>;

export const planClient = acting({
  name: 'plan',
  summary: 'Show who would be enhanced and why, what it costs and what it would change',
  details:
    'It reads the contacts from the CRM, which takes minutes for a large client. It writes and spends nothing. The result is kept for a day, so it contains no contacts and no values. The terminal shows them.',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: inputSchema,
  subjects: ['integration'],
  takesMinutes: true,
  result: planSchema,
  async run(world, input) {
    const plan = await planNow(world, input);
    return { ...plan, contacts: [], waiting: { ...plan.waiting, changes: [] } };
  },
  say: ({ integration, credits: { enhancements } }) =>
    `A sync of "${integration}" would spend ${describeCount(enhancements.allowed, 'credit')} for enhancements.`,
});

/** Previews a sync, including its contacts and values. `show` receives a few people as the sync would send them. */
export async function planNow(
  world: ActingWorld,
  input: PlanInput,
  show?: (persons: readonly PersonDetails[]) => void,
): Promise<Plan> {
  const open = await world.application.open(findClient(world, input.integration), world.signal);
  try {
    return await planOne(open, input, show);
  } finally {
    await open.close();
  }
}

/** Plans a sync for one client. */
export async function planOne(
  open: OpenIntegration,
  { contact, full }: Pick<PlanInput, 'contact' | 'full'>,
  show: (persons: readonly PersonDetails[]) => void = () => {},
): Promise<Plan> {
  const { integration, mappings, partnerKey } = open;
  const deps = await openCrm(open.deps, null);
  const only = contact ?? null;
  const preview = await previewRun(deps, { integration, mappings, partnerKey, full, only, show });
  // A run for one contact ignores groups, so its preview ignores them too.
  const mirrored = only === null ? integration : { ...integration, networks: [] };
  const { remaining } = preview.credits.networks;
  const forecast = await forecastNetworks(deps, mirrored, remaining);
  const warmPaths = await forecastPaths(deps, {
    integration,
    mappings,
    only: only === null ? null : [only],
    enhanced: preview.credits.enhancements.allowed + preview.waiting.profiles,
    joiners: forecast.credits.allowed,
  });
  const all = sumCalls([preview.calls, forecast.calls, warmPaths.calls]);
  return {
    ...preview,
    networks: forecast.networks,
    warmPaths,
    credits: { enhancements: preview.credits.enhancements, networks: forecast.credits },
    calls: all,
    secondsAtLimit: secondsAtLimit(all.partner),
  };
}

function sumCalls(all: readonly Preview['calls'][]): Preview['calls'] {
  return all.reduce((sum, { partner, crm }) => ({
    partner: sum.partner + partner,
    crm: sum.crm + crm,
  }));
}
