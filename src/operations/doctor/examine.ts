/** Checks one client. Spends and writes nothing. */
import { setTimeout } from 'node:timers/promises';
import type { Finding } from '../../../connectors/contract.ts';
import type { Application } from '../../application.ts';
import type { OpenIntegration } from '../../clients/open-integration.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { type DoctorFinding, withCommands } from './causes.ts';
import { checkCrm } from './check-crm.ts';
import { checked, checkPartner, checkState, unmet } from './checks.ts';

type ExamineDeps = Pick<Application, 'open' | 'findRunning'>;

/** In the order of the report. */
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

/** The checks in words. */
export const DOCTOR_ASKS: readonly string[] = CHECKS.map(({ asks }) => asks);

/** The maximum time for each check within a request. It is shorter than the limit for a response. */
export const CHECK_LIMIT_MS = 15_000;

export interface Examination {
  signal: AbortSignal;
  /** With a limit, checks run simultaneously. Otherwise one after the other. */
  limitMs?: number;
  /** Reads more data while the CRM and service clients are open. */
  also?: ((open: OpenIntegration) => Promise<void>) | undefined;
}

/** A failed check does not stop the others. */
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

/** Waits until the limit. A slow check becomes a finding. */
async function within(
  limitMs: number,
  subject: string,
  check: Promise<Finding[]>,
): Promise<Finding[]> {
  const over = new AbortController();
  const late = setTimeout(limitMs, null, { signal: over.signal }).catch(() => null);
  const found = await Promise.race([check, late]);
  over.abort();
  // The result of the check is ignored if it arrives later.
  if (found === null) check.catch(() => undefined);
  const message = `It did not respond within ${limitMs / 1_000} seconds.`;
  return found ?? [unmet(subject, message, 'Try again later.', 'too_slow')];
}
