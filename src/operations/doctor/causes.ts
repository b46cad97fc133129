/** Counts the causes of findings, and adds the command that solves each problem. */
import { z } from 'zod';
import type { Finding } from '../../../connectors/contract.ts';
import type { Integration } from '../../core/integration-settings.ts';

/** The result of one check. If `ok` is true, `fix` is only a recommendation. */
export interface DoctorFinding extends Finding {
  /** The integration's ID, or null if the finding is about the whole installation. */
  integration: string | null;
  /** The command that helps. Null if no command helps and the user has to follow `fix`. */
  command: string | null;
}

/**
 * The causes that the doctor itself finds. All causes that are not in this list are error codes or come from
 * connectors.
 */
export const CAUSES = {
  missing: 'fields_missing',
  notWritable: 'fields_not_writable',
  unfit: 'fields_unfit',
  noRate: 'currency_rate_missing',
  unseen: 'fields_unseen',
  keyFile: 'key_file_open',
  noSettings: 'settings_not_found',
  holds: 'holds_open',
  unreadable: 'settings_unreadable',
} as const;

/** Adds to each finding the command that helps. */
export function withCommands(
  findings: readonly Finding[],
  integration: Pick<Integration, 'id' | 'crm'> | null,
): DoctorFinding[] {
  const id = integration?.id ?? null;
  return findings.map((finding) => ({
    integration: id,
    ...finding,
    command: commandFor(finding, integration),
  }));
}

/** Returns the command that helps, or null if no command helps. */
function commandFor(
  { cause, fix }: Finding,
  integration: Pick<Integration, 'id' | 'crm'> | null,
): string | null {
  if (cause === CAUSES.holds || cause === CAUSES.keyFile || cause === CAUSES.noSettings) return fix;
  if (integration === null) return null;
  const { id, crm } = integration;
  switch (cause) {
    case CAUSES.missing:
      return `donor-sync fields create ${id}`;
    case CAUSES.unseen:
      return `donor-sync fields create ${id} --assign-viewers "System Administrator"`;
    case CAUSES.unfit:
      return `donor-sync fields check ${id}`;
    case 'crm_scope_missing':
    case 'crm_unauthorized':
      return signsInByConsent(crm) ? `donor-sync connect ${id}` : null;
    default:
      return null;
  }
}

const consentSchema = z.object({
  auth: z.object({ type: z.literal('oauth'), refreshToken: z.undefined().optional() }),
});

function signsInByConsent(crm: Integration['crm']): boolean {
  return consentSchema.safeParse(crm).success;
}

/** Counts the problems. Several findings with the same fix count as one problem. */
export function countCauses(findings: readonly DoctorFinding[]): number {
  const broken = findings.filter(({ ok }) => !ok);
  const deeds = broken.map(({ integration, command, cause = null, fix }) =>
    JSON.stringify([integration, command ?? [cause, fix]]),
  );
  return new Set(deeds).size;
}

/** Returns a finding in the form for JSON output. */
export function shownFinding(finding: DoctorFinding) {
  const { integration, subject, ok, message, fix, command, cause = null } = finding;
  return { integration, subject, ok, message, fix, command, cause };
}
