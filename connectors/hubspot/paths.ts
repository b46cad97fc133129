/** The HubSpot API versions that donor-sync supports. HubSpot supports `v3` until September 2027. */
export const API_VERSIONS = ['2026-09', 'v3'] as const;

export type ApiVersion = (typeof API_VERSIONS)[number];

/** The types of objects that donor-sync reads. The API's paths are the same for all of these types. */
export type ObjectType = 'contacts' | 'companies';

/** HubSpot's ID for the object type "contact". Lists name the type of their members by this ID. */
export const CONTACT_TYPE_ID = '0-1';

/** The paths of requests that our own code builds. */
export interface Paths {
  properties: string;
  propertyGroups: string;
  propertyValidations: string;
  accountDetails: string;
  dailyUsage: string;
  exchangeRates: string;
}

/** HubSpot's OAuth API has its own versions, which differ from the versions of the CRM API (CRM facts, section B3). */
export const OAUTH_PATHS = {
  token: '/oauth/2026-03/token',
  introspect: '/oauth/2026-03/token/introspect',
  revoke: '/oauth/2026-03/token/revoke',
};

/**
 * Converts a v3 path of the library to a path with the version's date. The function runs for each request, so it does
 * not use a regular expression.
 */
export function datedPath(path: string, version: ApiVersion): string {
  if (version === 'v3') return path;
  const part = ['objects', 'lists'].find((name) => `${path}/`.startsWith(`/crm/v3/${name}/`));
  return part === undefined
    ? path
    : `/crm/${part}/${version}${path.slice(`/crm/v3/${part}`.length)}`;
}

/**
 * Builds the paths of an API version. In paths with a date, the version comes last, and in older paths it comes first.
 */
export function buildPaths(version: ApiVersion): Paths {
  const isDated = version !== 'v3';
  const crm = (part: string) => (isDated ? `/crm/${part}/${version}` : `/crm/${version}/${part}`);
  const account = `/account-info/${version}`;
  return {
    properties: `${crm('properties')}/contacts`,
    propertyGroups: `${crm('properties')}/contacts/groups`,
    propertyValidations: `${crm('property-validations')}/${CONTACT_TYPE_ID}`,
    accountDetails: `${account}/details`,
    dailyUsage: `${account}/api-usage/daily/private-apps`,
    exchangeRates: isDated
      ? `/settings/currencies/${version}/exchange-rates/current`
      : `/settings/${version}/currencies/exchange-rates/current`,
  };
}
