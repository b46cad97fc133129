/** The versions of HubSpot's API that are spoken; `v3` is supported by HubSpot until September 2027. */
export const API_VERSIONS = ['2026-09', 'v3'] as const;

export type ApiVersion = (typeof API_VERSIONS)[number];

/** Objects that are read; each has the same routes. */
export type ObjectType = 'contacts' | 'companies';

/** The id of contacts among the types of HubSpot's objects, by which lists name what they hold. */
export const CONTACT_TYPE_ID = '0-1';

/** Where everything is asked: the one place that knows how a version is written into a path. */
export interface Paths {
  objects(type: ObjectType): string;
  batchRead(type: ObjectType): string;
  contactsBatchUpdate: string;
  contactsSearch: string;
  properties: string;
  propertyGroups: string;
  propertyValidations: string;
  lists: string;
  listsSearch: string;
  listById(id: string): string;
  listByName(name: string): string;
  listMemberships(id: string): string;
  accountDetails: string;
  dailyUsage: string;
  exchangeRates: string;
}

/** OAuth has versions of its own, which are not those of the CRM (CRM facts, section B3). */
export const OAUTH_PATHS = {
  token: '/oauth/2026-03/token',
  introspect: '/oauth/2026-03/token/introspect',
  revoke: '/oauth/2026-03/token/revoke',
};

/** In dated paths the version comes last, in the older ones first. */
export function buildPaths(version: ApiVersion): Paths {
  const isDated = version !== 'v3';
  const crm = (part: string) => (isDated ? `/crm/${part}/${version}` : `/crm/${version}/${part}`);
  const objects = crm('objects');
  const lists = crm('lists');
  const account = `/account-info/${version}`;
  return {
    objects: (type) => `${objects}/${type}`,
    batchRead: (type) => `${objects}/${type}/batch/read`,
    contactsBatchUpdate: `${objects}/contacts/batch/update`,
    contactsSearch: `${objects}/contacts/search`,
    properties: `${crm('properties')}/contacts`,
    propertyGroups: `${crm('properties')}/contacts/groups`,
    propertyValidations: `${crm('property-validations')}/${CONTACT_TYPE_ID}`,
    lists,
    listsSearch: `${lists}/search`,
    listById: (id) => `${lists}/${encodeURIComponent(id)}`,
    listByName: (name) =>
      `${lists}/object-type-id/${CONTACT_TYPE_ID}/name/${encodeURIComponent(name)}`,
    listMemberships: (id) => `${lists}/${encodeURIComponent(id)}/memberships`,
    accountDetails: `${account}/details`,
    dailyUsage: `${account}/api-usage/daily/private-apps`,
    exchangeRates: isDated
      ? `/settings/currencies/${version}/exchange-rates/current`
      : `/settings/${version}/currencies/exchange-rates/current`,
  };
}
