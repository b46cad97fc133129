/** Checks one client. The check spends no credits and writes nothing. */
import { setTimeout } from 'node:timers/promises';
import type { Finding } from '../../../connectors/contract.ts';
import type { Application } from '../../application.ts';
import type { OpenIntegration } from '../../clients/open-integration.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { type DoctorFinding, withCommands } from './causes.ts';
import { checkCrm } from './check-crm.ts';
import { checked, checkPartner, checkState, unmet } from './checks.ts';

type ExamineDeps = Pick<Application, 'open' | 'findRunning'>;

/** The checks, in the order of the report. */
const CHECKS = [
  {
    subject: 'partner',
    asks: 'the Partner Data Service: whether it is reachable, accepts the key and has credits left, and its own description',
    run: (_: ExamineDeps, open: OpenIntegration) => checkPartner(open),
  },
  {
    subject: 'CRM',
    asks: 'the CRM: access, account, fields, groups, up to 100 contacts as a run reads them, and limits',
    run: (_: ExamineDeps, open: OpenIntegration) => checkCrm(open),
  },
  {
    subject: 'state',
    asks: 'our own database: running processes, unsettled submissions, and open decisions',
    run: (application: ExamineDeps, open: OpenIntegration) => checkState(application, open),
  },
] as const;

/** The description of each check. */
export const DOCTOR_ASKS: readonly string[] = CHECKS.map(({ asks }) => asks);

/** The time limit of each check within an HTTP request. This limit is shorter than the time limit of the response. */
export const CHECK_LIMIT_MS = 15_000;

export interface Examination {
  signal: AbortSignal;
  /**
   * The time limit of each check. With a limit, the checks run at the same time. If there is no limit, the checks run
   * one after the other.
   */
  limitMs?: number;
  /** Reads further data while the connections to the CRM and the service are open. */
  also?: ((open: OpenIntegration) => Promise<void>) | undefined;
}

/** Checks a client. If one check fails, the other checks continue. */
export async function examineIntegration(
  application: ExamineDeps,
  integration: Integration,
  { signal, limitMs, also }: Examination,
): Promise<DoctorFinding[]> {
  const findings = await checked('integration', 'Follow the advice in the message.', async () => {
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

/** Waits for a check until its time limit. A slow check results in a finding. */
async function within(
  limitMs: number,
  subject: string,
  check: Promise<Finding[]>,
): Promise<Finding[]> {
  const over = new AbortController();
  const late = setTimeout(limitMs, null, { signal: over.signal }).catch(() => null);
  const found = await Promise.race([check, late]);
  over.abort();
  // If the check finishes later, its result is ignored.
  if (found === null) check.catch(() => undefined);
  const message = `It did not respond within ${limitMs / 1_000} seconds.`;
  return found ?? [unmet(subject, message, 'Try again later.', 'too_slow')];
}
