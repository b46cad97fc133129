/** The prerequisites of one integration: nothing is spent, and nothing is written into a CRM. */
import { setTimeout } from 'node:timers/promises';
import type { Finding } from '../../../connectors/contract.ts';
import type { Application } from '../../application.ts';
import type { OpenIntegration } from '../../clients/open-integration.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { type DoctorFinding, withCommands } from './causes.ts';
import { checkCrm } from './check-crm.ts';
import { checked, checkPartner, checkState, unmet } from './checks.ts';

type ExamineDeps = Pick<Application, 'open' | 'findRunning'>;

/** What is asked, in the order in which it is. */
const CHECKS = [
  {
    subject: 'partner',
    asks: 'the Partner Data Service: whether it is within reach, takes the key, has credits left, and what it says of itself',
    run: (_: ExamineDeps, open: OpenIntegration) => checkPartner(open),
  },
  {
    subject: 'CRM',
    asks: 'the CRM: whether it lets us in, whose account it is, its fields, up to 100 contacts as a run reads them, and its limits',
    run: (_: ExamineDeps, open: OpenIntegration) => checkCrm(open),
  },
  {
    subject: 'state',
    asks: 'our own database: who is at work, what is not settled, and what waits for a person',
    run: (application: ExamineDeps, open: OpenIntegration) => checkState(application, open),
  },
] as const;

/** What an examination asks, in words. */
export const DOCTOR_ASKS: readonly string[] = CHECKS.map(({ asks }) => asks);

/** How long each check may take within a request; less than a response may. */
export const CHECK_LIMIT_MS = 15_000;

export interface Examination {
  signal: AbortSignal;
  /** How long each check may take, all at the same time; left out: one after the other, as long as they need. */
  limitMs?: number;
  /** Reads what else is to be known, while the clients are open. */
  also?: ((open: OpenIntegration) => Promise<void>) | undefined;
}

/** Each check that cannot be passed is a finding; the others go on. */
export async function examineIntegration(
  application: ExamineDeps,
  integration: Integration,
  { signal, limitMs, also }: Examination,
): Promise<DoctorFinding[]> {
  const findings = await checked('integration', 'Do what the message says.', async () => {
    const open = await application.open(integration, signal);
    try {
      const found =
        limitMs === undefined
          ? await oneByOne(application, open)
          : await Promise.all(
              CHECKS.map(({ subject, run }) => within(limitMs, subject, run(application, open))),
            );
      await also?.(open);
      return found.flat();
    } finally {
      await open.close();
    }
  });
  return withCommands(findings, integration);
}

async function oneByOne(application: ExamineDeps, open: OpenIntegration): Promise<Finding[][]> {
  const found: Finding[][] = [];
  for (const { run } of CHECKS) found.push(await run(application, open));
  return found;
}

/** What takes too long is a finding; its answer is not waited for. */
async function within(
  limitMs: number,
  subject: string,
  check: Promise<Finding[]>,
): Promise<Finding[]> {
  const over = new AbortController();
  const late = setTimeout(limitMs, null, { signal: over.signal }).catch(() => null);
  const found = await Promise.race([check, late]);
  over.abort();
  // What it says later is for no one.
  if (found === null) check.catch(() => undefined);
  const message = `It did not answer within ${limitMs / 1_000} seconds.`;
  return found ?? [unmet(subject, message, 'Try again later.', 'too_slow')];
}
