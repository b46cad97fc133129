/** What a client is doing, how its last run ended, what waits, and what to do next. */
import { z } from 'zod';
import { readStatus } from '../clients/views/status.ts';
import { countContactWork } from '../contacts/contacts.ts';
import { describeCount } from '../core/quantities.ts';
import type { RunReport } from '../core/run.ts';
import { valuesWaitingSchema } from '../core/waiting-values.ts';
import { listOpenQuestions } from '../decisions/statements/questions.ts';
import { readValuesWaiting } from '../fields/waiting-values-view.ts';
import { nextSteps } from '../sync/views/next-steps.ts';
import { integrationShape } from './client-shape.ts';
import { findClient } from './kit/clients.ts';
import { reading } from './kit/operation.ts';

const count = z.int().nonnegative();

const statusSchema = z
  .object({
    ...integrationShape,
    running: z
      .object({
        owner: z.string().describe('The process that works on it: `HOST/PROCESS ID/START`'),
        since: z.iso
          .datetime()
          .nullable()
          .describe('When its run started; null if it is not a run, or has not started one yet'),
        run: z.string().nullable().describe('The ID of its run; null likewise'),
      })
      .nullable()
      .describe('Null if nothing works on it'),
    contacts: z
      .object({ due: count, submitted: count, ready: count, held: count })
      .describe('Contacts with work left, by their state'),
    holds: count.describe('Open decisions about contacts'),
    networkHolds: count.describe('Open decisions about networks'),
    valuesWaiting: valuesWaitingSchema.describe('Values that were paid for and wait to be written'),
    next: z.array(z.string()).describe('What to do next, as commands of the terminal'),
  })
  .meta({ id: 'ClientStatus' });

/** The status of one client. */
export type ClientStatus = z.output<typeof statusSchema>;

export const showStatus = reading({
  name: 'status',
  summary: 'Show what is running, how the last run ended and what waits',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: z.string().describe('The ID of the client') }),
  subjects: ['integration'],
  result: statusSchema,
  async run(world, { integration: id }) {
    const { reader, application } = world;
    const client = findClient(world, id);
    const running = await application.findRunning(id);
    const status = await readStatus(reader, client);
    const holds = (await listOpenQuestions(reader, id, 'contact')).length;
    const networkHolds = (await listOpenQuestions(reader, id, 'network')).length;
    return {
      ...status,
      running,
      contacts: await countContactWork(reader, id),
      holds,
      networkHolds,
      valuesWaiting: await readValuesWaiting(reader, id, client.fields),
      next: running ? [] : stepsFor(id, status.lastRun, holds + networkHolds),
    };
  },
  say: ({ id, running, holds, networkHolds, next }) => [
    `${id}: ${running === null ? 'nothing is running' : 'a process is at work'}, and ${describeCount(holds + networkHolds, 'decision')} to make.`,
    ...next.map((step) => `Next: ${step}`),
  ],
});

function stepsFor(id: string, lastRun: RunReport | null, holds: number): string[] {
  if (lastRun === null) return [`See what a first sync would do: donor-sync plan ${id}`];
  // What is held now counts, and not what was held when that run ended.
  return nextSteps({ ...lastRun, contacts: { ...lastRun.contacts, held: holds } });
}
