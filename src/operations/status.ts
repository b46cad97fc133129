/** Shows each client's current run, its last results, and the next steps for the user. */
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
        owner: z.string().describe('The process that is running: `HOST/PROCESS ID/START`'),
        since: z.iso
          .datetime()
          .nullable()
          .describe(
            'When its run started; null if the process is not running a sync, or has not started it yet',
          ),
        run: z.string().nullable().describe('The ID of its run; null in the same cases'),
      })
      .nullable()
      .describe('Null if no process is running'),
    contacts: z
      .object({ due: count, submitted: count, ready: count, held: count })
      .describe('Number of contacts with work left, by state'),
    holds: count.describe('Open decisions about contacts'),
    networkHolds: count.describe('Open decisions about networks'),
    valuesWaiting: valuesWaitingSchema.describe(
      'Number of paid values that are waiting to be written',
    ),
    next: z.array(z.string()).describe('The next steps, as commands for the terminal'),
  })
  .meta({ id: 'ClientStatus' });

export type ClientStatus = z.output<typeof statusSchema>;

export const showStatus = reading({
  name: 'status',
  summary: 'Show what is running, how the last run ended, and pending work',
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
    `${id}: ${running === null ? 'nothing is running' : 'a process is running'}, and ${describeCount(holds + networkHolds, 'decision')} to make.`,
    ...next.map((step) => `Next: ${step}`),
  ],
});

function stepsFor(id: string, lastRun: RunReport | null, holds: number): string[] {
  if (lastRun === null) return [`See what a first sync would do: donor-sync plan ${id}`];
  // Uses the current number of open decisions, because the run's number may be outdated.
  return nextSteps({ ...lastRun, contacts: { ...lastRun.contacts, held: holds } });
}
