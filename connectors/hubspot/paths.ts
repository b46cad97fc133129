/** The supported versions of HubSpot's API. HubSpot supports `v3` until September 2027. */
export const API_VERSIONS = ['2026-09', 'v3'] as const;

export type ApiVersion = (typeof API_VERSIONS)[number];

/** The objects that are read. All these objects have the same routes. */
export type ObjectType = 'contacts' | 'companies';

/** HubSpot's ID for the object type of contacts. Lists use it as the type of their members. */
export const CONTACT_TYPE_ID = '0-1';

/** The paths of requests that the library does not build. */
export interface Paths {
  properties: string;
  propertyGroups: string;
  propertyValidations: string;
  accountDetails: string;
  dailyUsage: string;
  exchangeRates: string;
}

/** OAuth has its own versions, which differ from the CRM's versions (CRM facts, section B3). */
export const OAUTH_PATHS = {
  token: '/oauth/2026-03/token',
  introspect: '/oauth/2026-03/token/introspect',
  revoke: '/oauth/2026-03/token/revoke',
};

/** Converts the library's v3 paths. Runs for each request, so it uses no regular expression. */
export function datedPath(path: string, version: ApiVersion): string {
  if (version === 'v3') return path;
  const part = ['objects', 'lists'].find((name) => `${path}/`.startsWith(`/crm/v3/${name}/`));
  return part === undefined
    ? path
    : `/crm/${part}/${version}${path.slice(`/crm/v3/${part}`.length)}`;
}

/** Builds a version's paths. The version comes last in dated paths and first in older ones. */
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
