/** The entities and actions of APIv4. */

import { z } from 'zod';
import { addressValue, isVisible } from '../contacts/contact-fields.ts';
import { describeFields } from '../contacts/describe.ts';
import { getContacts } from '../contacts/read-contacts.ts';
import {
  activityRows,
  createContact,
  deleteContacts,
  mergedFrom,
  mergedTo,
  saveContacts,
  updateContacts,
} from '../contacts/write-contacts.ts';
import { ApiError, unauthorized } from '../core/errors.ts';
import type { Row } from '../core/tables.ts';
import {
  createCustomField,
  createCustomGroup,
  requireAdministrator,
} from '../custom/create-fields.ts';
import { type Found, getRows } from '../query/get.ts';
import type { Site } from '../site/site.ts';

/** The CiviCRM version that the stand-in imitates. */
const VERSION = '6.8.1';

type Action = (site: Site, params: unknown) => Found;

const contactIdSchema = z.object({ contactId: z.coerce.number() });
const checkSchema = z.object({
  action: z.string(),
  values: z.object({ id: z.coerce.number().optional() }).default({}),
});
/** In this action, `select` contains the names of settings and not of columns. */
const settingSchema = z.object({ select: z.array(z.string()).default([]) });
const valuesSchema = z.object({ values: z.unknown() });

const ACTIONS: Readonly<Record<string, Action>> = {
  'Contact.get': getContacts,
  'Contact.save': (site, params) => whole(saveContacts(site, params)),
  'Contact.update': (site, params) => whole(updateContacts(site, params)),
  'Contact.create': (site, params) => whole(createContact(site, params)),
  'Contact.delete': (site, params) => whole(deleteContacts(site, params)),
  'Contact.getFields': (site, params) => whole(describeFields(site, params)),
  'Contact.checkAccess': checkAccess,
  'Contact.getMergedTo': (site, params) => {
    const id = mergedTo(site, contactIdSchema.parse(params).contactId);
    // APIv4 returns an empty object if there is no result.
    return { values: [id === null ? {} : { id }] };
  },
  'Contact.getMergedFrom': (site, params) =>
    whole(mergedFrom(site, contactIdSchema.parse(params).contactId).map((id) => ({ id }))),
  'ActivityContact.get': (site, params) => rowsOf(activityRows(site), params),
  'Email.get': (site, params) => rowsOf(ofContacts(site, 'Email'), params),
  'Phone.get': (site, params) => rowsOf(ofContacts(site, 'Phone'), params),
  'Address.get': (site, params) => rowsOf(ofContacts(site, 'Address'), params, addressField),
  'Group.get': (site, params) => rowsOf(site.tables.of('Group').all(), params),
  'GroupContact.get': (site, params) => rowsOf(site.tables.of('GroupContact').all(), params),
  'CustomGroup.get': (site, params) => administered(site, 'CustomGroup', params),
  'CustomGroup.create': (site, params) =>
    whole([createCustomGroup(site, valuesSchema.parse(params).values)]),
  'CustomField.get': (site, params) => administered(site, 'CustomField', params),
  'CustomField.create': (site, params) =>
    whole([createCustomField(site, valuesSchema.parse(params).values)]),
  'OptionValue.get': (site, params) => rowsOf(site.tables.of('OptionValue').all(), params),
  'Domain.get': (_site, params) =>
    rowsOf([{ id: 1, name: 'Riverside Food Bank', version: VERSION }], params),
  'Setting.get': (site, params) => {
    requireAdministrator(site);
    const { select } = settingSchema.parse(params);
    const names = select.filter((name) => name === 'defaultCurrency');
    const { currency: value } = site.variants();
    return whole(names.map((name) => ({ name, value, domain_id: 1 })));
  },
  'System.get': (site, params) => {
    requireAdministrator(site);
    return rowsOf([{ id: 1, version: VERSION, uf: 'Drupal8' }], params);
  },
};

/** Executes an APIv4 request. Throws an ApiError if CiviCRM rejects the request. */
export function act(site: Site, entity: string, action: string, params: unknown): Found {
  const work = ACTIONS[`${entity}.${action}`];
  if (work === undefined) throw new ApiError(`Api ${entity} ${action} version 4 does not exist.`);
  if (!site.permissions.has('access CiviCRM')) throw unauthorized('Authorization failed');
  try {
    return work(site, params);
  } catch (error) {
    if (error instanceof z.ZodError) throw new ApiError(`Invalid parameters: ${error.message}`);
    throw error;
  }
}

function whole(values: readonly Record<string, unknown>[]): Found {
  return { values: [...values] };
}

/** Returns a reader for rows whose columns need no conversion. */
function rowsOf(
  rows: Iterable<Row>,
  params: unknown,
  field: (row: Row, name: string) => unknown = (row, name) => row[name],
): Found {
  return getRows<Row>(params, {
    rows: () => rows,
    compared: (row) => (name) => field(row, name),
    shown: (row) => (name) => field(row, name),
    standard: () => [...new Set([...rows].flatMap((row) => Object.keys(row)))],
  });
}

function administered(site: Site, entity: string, params: unknown): Found {
  requireAdministrator(site);
  return rowsOf(site.tables.of(entity).all(), params);
}

/** Returns the rows of contacts that the user can see. */
function ofContacts(site: Site, entity: string): Row[] {
  const contacts = site.tables.of('Contact');
  return [...site.tables.of(entity).all()].filter((row) =>
    isVisible(site, contacts.get(Number(row['contact_id']))),
  );
}

function addressField(row: Row, path: string): unknown {
  const [name = '', suffix] = path.split(':');
  return addressValue(row, name, suffix) ?? row[path];
}

function checkAccess(site: Site, params: unknown): Found {
  const { action, values } = checkSchema.parse(params);
  const { permissions, tables } = site;
  const contact = values.id === undefined ? undefined : tables.of('Contact').get(values.id);
  const isReading = action === 'get';
  const mayAct = permissions.has(isReading ? 'view all contacts' : 'edit all contacts');
  const isShown = values.id === undefined || isVisible(site, contact);
  return { values: [{ access: mayAct && isShown }] };
}
