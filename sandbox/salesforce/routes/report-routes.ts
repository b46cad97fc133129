/** The resource `/analytics/reports`, which runs reports. */

import { Hono } from 'hono';
import { z } from 'zod';
import { notFound, SalesforceError } from '../core/errors.ts';
import { createId, readId } from '../core/ids.ts';
import type { User } from '../metadata/access.ts';
import type { Field } from '../metadata/field.ts';
import { findField } from '../metadata/object-type.ts';
import type { Org } from '../org/org.ts';
import { REPORTS, type Report } from '../org/reports.ts';
import { runQuery } from '../query/query.ts';
import type { SObjectRecord } from '../query/soql/projection.ts';
import type { SalesforceContext, SalesforceEnv } from '../requests/context.ts';
import { readJson } from '../requests/json-values.ts';

/** The maximum number of rows in a report, as in Salesforce's API. */
const MAX_ROWS = 2000;

/** A column of a report about contacts. */
interface Column {
  name: string;
  label: string;
  dataType: string;
  /** The field of Contact in the column. Users must be able to see this field. */
  field: string;
  /**
   * The SOQL path of the column's value. The path names the field itself, or the name of the account to which the field
   * refers.
   */
  path: string;
}

const COLUMNS: readonly Column[] = [
  column('CONTACT_ID', 'Contact ID', 'Id'),
  column('FIRST_NAME', 'First Name', 'FirstName'),
  column('LAST_NAME', 'Last Name', 'LastName'),
  column('EMAIL', 'Email', 'Email', 'email'),
  { ...column('ACCOUNT.NAME', 'Account Name', 'AccountId'), path: 'Account.Name' },
];

/** The options with which a client runs a report. This stand-in does not support additional filters. */
const orderSchema = z.object({
  reportMetadata: z
    .object({
      detailColumns: z.array(z.string()).optional(),
      reportFilters: z.array(z.unknown()).max(0).optional(),
    })
    .optional(),
});

/** Returns the resources of reports. */
export function reportRoutes(org: Org): Hono<SalesforceEnv> {
  const router = new Hono<SalesforceEnv>();
  router.get('/analytics/reports', (c) =>
    c.json(REPORTS.map(({ id, name }) => ({ id, name, ...urlsOf(c, id) }))),
  );
  router.get('/analytics/reports/:id/describe', (c) =>
    c.json(describeReport(findReport(c), visibleColumns(org, c.var.user))),
  );
  router.get('/analytics/reports/:id', (c) =>
    c.json(runReport(c, org, findReport(c), visibleColumns(org, c.var.user))),
  );
  router.post('/analytics/reports/:id', (c) => {
    const { reportMetadata } = readJson(orderSchema, c.var.body ?? {});
    const columns = chooseColumns(visibleColumns(org, c.var.user), reportMetadata?.detailColumns);
    return c.json(runReport(c, org, findReport(c), columns));
  });

  const instances = new Map<string, Instance>();
  const ofReport = ({ id }: Report) =>
    [...instances.values()].filter(({ reportId }) => reportId === id);
  router.post('/analytics/reports/:id/instances', (c) => {
    const report = findReport(c);
    const { reportMetadata } = readJson(orderSchema, c.var.body ?? {});
    const columns = chooseColumns(visibleColumns(org, c.var.user), reportMetadata?.detailColumns);
    const instance: Instance = {
      id: createId(INSTANCE_PREFIX, instances.size + 1),
      reportId: report.id,
      ownerId: c.var.user.id,
      at: new Date().toISOString(),
      result: runReport(c, org, report, columns),
    };
    instances.set(instance.id, instance);
    return c.json({ ...instanceBody(c, instance), status: 'New', completionDate: null });
  });
  router.get('/analytics/reports/:id/instances', (c) =>
    c.json(ofReport(findReport(c)).map((instance) => instanceBody(c, instance))),
  );
  router.get('/analytics/reports/:id/instances/:instance', (c) => {
    const wanted = readId(c.req.param('instance'));
    const instance = ofReport(findReport(c)).find(({ id }) => id === wanted);
    if (instance === undefined) throw notFound();
    const { attributes, ...result } = instance.result;
    const { url, ...about } = instanceBody(c, instance);
    return c.json({
      attributes: { ...attributes, ...about, type: 'ReportInstance', instancesUrl: url },
      ...result,
    });
  });
  return router;
}

/**
 * A run of a report, whose result the client reads later. In this stand-in, the run ends immediately and is never
 * removed.
 */
interface Instance {
  id: string;
  reportId: string;
  ownerId: string;
  /** The time in ISO format. */
  at: string;
  result: ReturnType<typeof runReport>;
}

const INSTANCE_PREFIX = '0LG';

function instanceBody(c: SalesforceContext, { id, reportId, ownerId, at, result }: Instance) {
  return {
    id,
    ownerId,
    status: 'Success',
    requestDate: at,
    completionDate: at,
    hasDetailRows: result.hasDetailRows,
    queryable: false,
    url: `${c.var.basePath}/analytics/reports/${reportId}/instances/${id}`,
  };
}

function column(name: string, label: string, field: string, dataType = 'string'): Column {
  return { name, label, dataType, field, path: field };
}

function findReport(c: SalesforceContext): Report {
  const id = readId(c.req.param('id') ?? '');
  const report = REPORTS.find((one) => one.id === id);
  if (report === undefined) throw notFound();
  return report;
}

function visibleColumns({ catalogue, access }: Org, user: User): Column[] {
  const contact = catalogue.get('Contact');
  const isVisible = (field: Field | undefined) =>
    field !== undefined && access.canRead(user, contact, field);
  return COLUMNS.filter(({ field }) => isVisible(findField(contact, field)));
}

function chooseColumns(visible: Column[], names: string[] | undefined): Column[] {
  if (names === undefined) return visible;
  return names.map((name) => {
    const found = visible.find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new SalesforceError(400, 'BAD_REQUEST', `The detail column ${name} is invalid.`);
  });
}

function runReport(c: SalesforceContext, org: Org, report: Report, columns: Column[]) {
  const hasDetailRows = c.req.query('includeDetails') === 'true';
  const { total, records } = queryReport(c, org, report, columns);
  const rows = () =>
    records(0, MAX_ROWS).map((record) => ({
      dataCells: columns.map((one) => dataCell(one, record)),
    }));
  return {
    attributes: {
      type: 'Report',
      reportId: report.id,
      reportName: report.name,
      ...urlsOf(c, report.id),
    },
    allData: !hasDetailRows || total <= MAX_ROWS,
    factMap: {
      'T!T': {
        aggregates: [{ label: total.toLocaleString('en-US'), value: total }],
        ...(hasDetailRows ? { rows: rows() } : {}),
      },
    },
    groupingsAcross: { groupings: [] },
    groupingsDown: { groupings: [] },
    hasDetailRows,
    ...describeReport(report, columns),
  };
}

function queryReport(c: SalesforceContext, org: Org, { where }: Report, columns: Column[]) {
  const paths = new Set(['Id', ...columns.flatMap(({ field, path }) => [field, path])]);
  const condition = where === null ? '' : ` WHERE ${where}`;
  const soql = `SELECT ${[...paths].join(', ')} FROM Contact${condition} ORDER BY Id`;
  return runQuery(org, soql, c.var.user, { basePath: c.var.basePath });
}

/**
 * Returns a cell of the report. A blank is a hyphen. If the column refers to another record, the value is that record's
 * ID.
 */
function dataCell({ path, field }: Column, record: SObjectRecord) {
  const value = record[field] ?? null;
  if (value === null) return { label: '-', value };
  if (path === field) return { label: String(value), value };
  const account = accountSchema.parse(record['Account']);
  return { label: account.Name, value, recordId: value };
}

const accountSchema = z.object({ Name: z.string() });

function describeReport(report: Report, columns: Column[]) {
  return {
    reportExtendedMetadata: {
      aggregateColumnInfo: {
        RowCount: {
          label: 'Record Count',
          dataType: 'int',
          acrossGroupingContext: null,
          downGroupingContext: null,
        },
      },
      detailColumnInfo: Object.fromEntries(
        columns.map(({ name, label, dataType }) => [name, { label, dataType }]),
      ),
      groupingColumnInfo: {},
    },
    reportMetadata: {
      id: report.id,
      name: report.name,
      developerName: report.developerName,
      description: report.description,
      folderId: null,
      reportFormat: 'TABULAR',
      reportType: { type: 'ContactList', label: 'Contacts & Accounts' },
      detailColumns: columns.map(({ name }) => name),
      aggregates: ['RowCount'],
      groupingsAcross: [],
      groupingsDown: [],
      crossFilters: [],
      reportFilters: [],
      reportBooleanFilter: null,
      standardDateFilter: {
        column: 'CREATED_DATE',
        durationValue: 'CUSTOM',
        startDate: null,
        endDate: null,
      },
      standardFilters: [],
      historicalSnapshotDates: [],
      sortBy: [],
      scope: 'organization',
      hasDetailRows: true,
      hasRecordCount: true,
      showGrandTotal: true,
      showSubtotals: true,
      currency: null,
      division: null,
      chart: null,
    },
  };
}

function urlsOf(c: SalesforceContext, id: string) {
  const url = `${c.var.basePath}/analytics/reports/${id}`;
  return { url, describeUrl: `${url}/describe`, instancesUrl: `${url}/instances` };
}
