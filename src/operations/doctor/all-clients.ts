/** Checks all clients. The check waits for every client's CRM, so it can take minutes. */
import { z } from 'zod';
import { describeCount } from '../../core/quantities.ts';
import { acting } from '../kit/operation.ts';
import { reportSchema, toReport } from './doctor.ts';
import { CHECK_LIMIT_MS, examineIntegration } from './examine.ts';

export const checkClients = acting({
  name: 'clients check',
  summary: 'Check the prerequisites of all clients, one after the other',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({}),
  subjects: [],
  takesMinutes: true,
  result: z.object({
    clients: z.array(reportSchema.extend({ integration: z.string() })),
    causes: z.int().describe('Number of problems to fix in all clients'),
  }),
  async run({ application, clients, signal }) {
    const reports = [];
    for (const [integration, client] of clients) {
      // If the process is restarted, all clients are checked again.
      signal.throwIfAborted();
      const examination = { signal, limitMs: CHECK_LIMIT_MS };
      const findings = await examineIntegration(application, client, examination);
      reports.push({ integration, ...toReport(findings) });
    }
    return { clients: reports, causes: reports.reduce((sum, { causes }) => sum + causes, 0) };
  },
  say: ({ clients, causes }) =>
    causes === 0
      ? `All is well with ${describeCount(clients.length, 'client')}.`
      : `${describeCount(causes, 'problem')} to fix. To see a client's problems: donor-sync doctor ID`,
  table: ({ clients, causes }) => ({
    empty: 'There are no clients yet. Set one up: donor-sync init',
    headers: ['Client', 'Problems', 'First problem'],
    rows: clients.map(({ integration, causes: count, findings }) => [
      integration,
      count,
      findings.find(({ ok }) => !ok)?.message ?? '',
    ]),
    notes: causes === 0 ? [] : ['Details and fixes: donor-sync doctor ID'],
  }),
  ending: ({ causes }) => (causes === 0 ? 'done' : 'refused'),
});
