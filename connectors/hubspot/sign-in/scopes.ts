import { ConfigurationError } from '../../../src/core/errors.ts';

/** A HubSpot scope, and the donor-sync feature that needs it. */
export interface ScopeNeed {
  scope: string;
  feature: string;
}

/**
 * The scopes of a token, or null if HubSpot does not report them. If HubSpot does not report the scopes, its errors
 * show which scopes are missing.
 */
interface Scoped {
  scopes: ReadonlySet<string> | null;
}

/** The scope that donor-sync always needs. */
export const READ_CONTACTS = 'crm.objects.contacts.read';
export const WRITE_CONTACTS = 'crm.objects.contacts.write';
export const READ_COMPANIES = 'crm.objects.companies.read';
export const READ_LISTS = 'crm.lists.read';
export const WRITE_SCHEMAS = 'crm.schemas.contacts.write';

/** The scopes that HubSpot requires for properties with Sensitive Data (`crm.sensitiveData`). */
export const READ_SENSITIVE = 'crm.objects.contacts.sensitive.read.v2';
export const WRITE_SENSITIVE = 'crm.objects.contacts.sensitive.write.v2';

/** The scope for `crm.currency: convert`. */
export const READ_CURRENCIES = 'settings.currencies.read';

/** The scope for `fields create --with-lists`. */
export const WRITE_LISTS = 'crm.lists.write';

/**
 * The scopes that donor-sync can use. The required scopes come first in the list. Every HubSpot app also has the scope
 * `oauth`.
 */
export const SCOPE_NEEDS: readonly ScopeNeed[] = [
  { scope: READ_CONTACTS, feature: 'reading contacts' },
  { scope: WRITE_CONTACTS, feature: 'writing into contacts' },
  { scope: READ_COMPANIES, feature: 'employers from associated companies' },
  { scope: READ_LISTS, feature: 'groups from lists' },
  { scope: WRITE_SCHEMAS, feature: '`fields create`' },
];

export const SENSITIVE_NEEDS: readonly ScopeNeed[] = [
  { scope: READ_SENSITIVE, feature: 'reading properties that store Sensitive Data' },
  { scope: WRITE_SENSITIVE, feature: 'writing into properties that store Sensitive Data' },
];

export function scopeNeeds({ sensitiveData }: { sensitiveData: boolean }): readonly ScopeNeed[] {
  return sensitiveData ? [...SCOPE_NEEDS, ...SENSITIVE_NEEDS] : SCOPE_NEEDS;
}

/** Returns true if the token has the scope, or if the token's scopes are unknown. */
export function mayHave({ scopes }: Scoped, scope: string): boolean {
  return scopes === null || spellings(scope).some((each) => scopes.has(each));
}

function spellings(scope: string): string[] {
  // HubSpot's documents name the scopes of Sensitive Data without a version. HubSpot's API specification names the
  // scopes of Sensitive Data with a version. Since API version 2026-09, HubSpot also calls lists "segments".
  return [scope, scope.replace(/\.v2$/, ''), scope.replace(/^crm\.lists\./, 'crm.segments.')];
}

export function missingScopes(signIn: Scoped, settings: { sensitiveData: boolean }): ScopeNeed[] {
  return scopeNeeds(settings).filter(({ scope }) => !mayHave(signIn, scope));
}

/** Throws a ConfigurationError if HubSpot has reported that the token does not have the scope. */
export function requireScope(signIn: Scoped, scope: string): void {
  if (!mayHave(signIn, scope)) throw scopeMissing(scope);
}

export function scopeMissing(scope: string): ConfigurationError {
  const needs = scopeNeeds({ sensitiveData: true });
  const feature = needs.find((need) => need.scope === scope)?.feature ?? 'this';
  return new ConfigurationError(
    `The token lacks the scope ${scope}, which ${feature} needs: add it to the app, and connect again.`,
    { code: 'crm_scope_missing', details: { scope } },
  );
}
