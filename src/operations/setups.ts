/** Lists and discards set-ups, without showing the values that users entered. */
import { z } from 'zod';
import { findSetup, listSetups, type Setup } from '../clients/setup/draft.ts';
import { nextStep, SETUP_STEPS } from '../clients/setup/steps.ts';
import { isoTime } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { describeCount } from '../core/quantities.ts';
import { reading, type World } from './kit/operation.ts';

const stepSchema = z.enum(SETUP_STEPS);

const setupSchema = z
  .object({
    id: z.string().describe('The ID of the existing or future client'),
    name: z.string().nullable(),
    isNew: z.boolean().describe('False if an existing client is being changed'),
    crm: z.string().nullable().describe('The kind of CRM; null before it is chosen'),
    done: z.array(stepSchema),
    next: stepSchema.describe('The step where the set-up continues: /setup/ID/STEP'),
    trialRun: z
      .string()
      .nullable()
      .describe('The trial run, which tests the settings with a few contacts'),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Setup' });

type Shown = z.output<typeof setupSchema>;

export const listUnfinished = reading({
  name: 'setups list',
  summary: 'List the unfinished browser set-ups, the latest first',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  result: z.object({ setups: z.array(setupSchema) }),
  async run(world) {
    const setups = await listSetups(toSource(world));
    return { setups: setups.filter(({ id }) => hasAccess(world, id)).map(toView) };
  },
  say: ({ setups }) => `${describeCount(setups.length, 'set-up')}.`,
  table: ({ setups }) => ({
    empty: 'There are no unfinished set-ups.',
    headers: ['Client', 'Name', 'CRM', 'Next step', 'Changed'],
    rows: setups.map(({ id, name, crm, next, updatedAt }) => [
      ...[id, name ?? '', crm ?? 'not chosen', next],
      { at: updatedAt },
    ]),
  }),
});

export const showUnfinished = reading({
  name: 'setups show',
  summary: 'Show an unfinished browser set-up',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ setup: z.string().describe('The ID of the existing or future client') }),
  subjects: ['setup'],
  result: z.object({ setup: setupSchema }),
  async run(world, { setup: id }) {
    const setup = hasAccess(world, id) ? await findSetup(toSource(world), id) : null;
    if (setup !== null) return { setup: toView(setup) };
    throw new ConfigurationError(
      `There is no set-up for "${id}". List the set-ups: donor-sync setups list`,
      { code: 'setup_unknown', refusal: 'unknown', details: { integration: id } },
    );
  },
  say: ({ setup: { id, isNew, crm, done, next } }) => [
    `${id}: ${isNew ? 'a new client' : 'a change of a client'}, CRM: ${crm ?? 'not chosen'}.`,
    `Done: ${done.join(', ') || 'nothing'}. Next: ${next}.`,
  ],
});

function toSource({ reader, sealer }: World) {
  return { store: { reader }, sealer };
}

/**
 * True if the caller has access to the client of a set-up. A new client does not exist yet, so the rights are checked
 * directly.
 */
function hasAccess({ caller: { clients } }: World, id: string): boolean {
  return clients?.has(id) ?? true;
}

function toView(setup: Setup): Shown {
  const { id, answers, isNew, done, trialRun, updatedAt } = setup;
  return {
    id,
    name: answers.name ?? null,
    isNew,
    crm: answers.crm?.kind ?? null,
    done,
    next: nextStep(setup),
    trialRun,
    updatedAt: isoTime(updatedAt),
  };
}
