import type { Finding } from '../../contract.ts';
import { met, plain } from '../../findings/findings.ts';
import type { HubspotApi } from '../api.ts';
import { faultBehind } from '../errors.ts';
import type { HubspotSession } from '../session.ts';
import {
  mayHave,
  READ_COMPANIES,
  READ_CONTACTS,
  READ_LISTS,
  READ_SENSITIVE,
  SCOPE_NEEDS,
  type ScopeNeed,
  SENSITIVE_NEEDS,
  WRITE_CONTACTS,
  WRITE_SCHEMAS,
} from '../sign-in/scopes.ts';

export interface ScopeUse {
  /** The scopes that a run needs with these settings. */
  needed: ReadonlySet<string>;
  /** The scopes that donor-sync does not need with these settings. */
  unused: ReadonlySet<string>;
}

/** A missing scope because of which HubSpot refuses requests. */
export interface MissingScope extends ScopeNeed {
  /** The scopes that HubSpot's error names. */
  named: readonly string[];
}

/**
 * Tests each scope with a request that changes nothing. HubSpot can refuse requests even if it reports that the token
 * has the scope. If HubSpot complains that a write request is empty, the token has the scope.
 */
export async function findMissingScopes(
  api: HubspotApi,
  unused: ReadonlySet<string>,
): Promise<MissingScope[]> {
  const missing: MissingScope[] = [];
  for (const need of SCOPE_NEEDS) {
    const probe = PROBES[need.scope];
    if (unused.has(need.scope) || probe === undefined) continue;
    const named = await refusedScopes(() => probe(api));
    if (named !== null) missing.push({ ...need, named });
  }
  return missing;
}

const PROBES: Readonly<Record<string, (api: HubspotApi) => Promise<unknown>>> = {
  [READ_CONTACTS]: (api) => api.listRecords('contacts', { limit: 1 }),
  [WRITE_CONTACTS]: (api) => api.updateContacts([]),
  [READ_COMPANIES]: (api) => api.listRecords('companies', { limit: 1 }),
  [READ_LISTS]: (api) => api.searchLists({ count: 1, offset: 0 }),
  [WRITE_SCHEMAS]: (api) => api.post(`${api.paths.properties}/batch/create`, { inputs: [] }),
};

/**
 * Sends a request and returns the missing scopes if HubSpot refuses it because of scopes. Returns null if HubSpot
 * refuses the request for a different reason.
 */
async function refusedScopes(probe: () => Promise<unknown>): Promise<readonly string[] | null> {
  try {
    await probe();
    return null;
  } catch (error) {
    const fault = faultBehind(error);
    if (fault?.code === 'MISSING_SCOPES') return fault.scopes;
    if (fault === null || ANOTHER_TIME.has(fault.code)) throw error;
    return null;
  }
}

/** Errors that do not show whether a scope is missing. */
const ANOTHER_TIME: ReadonlySet<string> = new Set([
  'DAILY',
  'RATE_LIMITS',
  'INVALID_AUTHENTICATION',
  'EXPIRED_AUTHENTICATION',
]);

/** The list `listed` contains the scopes that HubSpot reports for the token, or null if HubSpot reports none. */
export function scopeFindings(
  missing: readonly MissingScope[],
  { needed, unused }: ScopeUse,
  listed: ReadonlySet<string> | null,
): Finding[] {
  if (missing.length > 0) return missing.map((scope) => missingFinding(scope, needed, listed));
  const tried = SCOPE_NEEDS.filter(({ scope }) => !unused.has(scope)).map(({ scope }) => scope);
  const message = `The token has all scopes. Each was tested with a request: ${tried.join(', ')}.`;
  return [plain(met('scopes', message))];
}

/**
 * Reports Sensitive Data that the token cannot read. Only the values of properties show whether the token has access.
 */
export function sensitiveFindings(session: HubspotSession): Finding[] {
  const { settings, signIn, seesSensitive } = session;
  if (!settings.sensitiveData) return [];
  const isMissing = ({ scope }: ScopeNeed) =>
    !mayHave(signIn, scope) || (scope === READ_SENSITIVE && !seesSensitive);
  const needed = new Set(SENSITIVE_NEEDS.map(({ scope }) => scope));
  return SENSITIVE_NEEDS.filter(isMissing).map((need) => ({
    ...missingFinding({ ...need, named: [] }, needed, signIn.scopes),
    subject: 'Sensitive Data',
  }));
}

function missingFinding(
  { scope, feature, named }: MissingScope,
  needed: ReadonlySet<string>,
  listed: ReadonlySet<string> | null,
): Finding {
  const others = named.filter((name) => name !== scope);
  const names = others.length === 0 ? '' : ` HubSpot's refusal names ${others.join(', ')}.`;
  const remark = listed?.has(scope)
    ? ' HubSpot lists it among the scopes of the token, but refuses the requests anyway.'
    : '';
  return plain({
    subject: 'scopes',
    ok: !needed.has(scope),
    message: `The token lacks the scope ${scope}, so ${feature} is off.${remark}${names}`,
    fix: SCOPE_FIX,
    cause: 'crm_scope_missing',
  });
}

const SCOPE_FIX =
  'Add the scope to the service key or the app in HubSpot, and connect again. A super admin can grant every scope.';
