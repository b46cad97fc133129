import type { MappedFieldSpec } from '../../contract.ts';
import type { ListedObject } from './list-views.ts';
import { type MetadataElements, metadataFile } from './metadata-file.ts';

/** The folder for our reports and dashboards. */
const FOLDER = 'donor_sync';
const FOLDER_LABEL = 'donor-sync';

/** The minimum giving capacity in US dollars for the report about high capacity. The list view has the same limit. */
const HIGH_CAPACITY = 100_000;

/** The minimum strength in percent for the report about warm paths. The list view has the same limit. */
const WARM_PATH = 50;

/** The number of rows that a table on the dashboard shows. */
const TABLE_ROWS = 10;

interface Subject {
  listed: ListedObject;
  /**
   * The suffix of the file names. Contacts and person accounts have different suffixes, so their files do not overwrite
   * each other.
   */
  suffix: 'contacts' | 'person_accounts';
  /** The plural noun in labels. */
  noun: string;
}

interface ReportColumns {
  name: string;
  capacity: string | undefined;
  strength: string | undefined;
  network: string | undefined;
  all: string[];
}

/**
 * Returns a report type with the mapped fields. Also returns reports of this type, and a dashboard that shows the
 * reports. The report type has one object, so users see only the records and fields that they may read. Returns no
 * files if the field map has no field that a report can show.
 */
export function reportFiles(
  fields: readonly MappedFieldSpec[],
  subject: Subject,
): [path: string, text: string][] {
  const type = `donor_sync_${subject.suffix}`;
  const reports = reportsOf(toColumns(fields, subject.listed), `${type}__c`, subject);
  if (reports.length === 0) return [];
  return [
    [
      `reportTypes/${type}.reportType-meta.xml`,
      metadataFile('ReportType', reportType(fields, subject)),
    ],
    ...reports.map(({ name, report }): [string, string] => [
      `reports/${FOLDER}/${name}.report-meta.xml`,
      metadataFile('Report', report),
    ]),
    [
      `dashboards/${FOLDER}/donor_sync_${subject.suffix}.dashboard-meta.xml`,
      metadataFile('Dashboard', dashboard(reports, subject)),
    ],
  ];
}

/**
 * Returns the folders for the reports of contacts and of person accounts. All users of the org may open the folders,
 * but each user sees only the records that he or she may read.
 */
export function reportFolders(): [path: string, text: string][] {
  const everyone = { accessLevel: 'View', sharedTo: 'AllInternalUsers', sharedToType: 'Group' };
  const folder = { folderShares: everyone, name: FOLDER_LABEL };
  return [
    [`reports/${FOLDER}.reportFolder-meta.xml`, metadataFile('ReportFolder', folder)],
    [`dashboards/${FOLDER}.dashboardFolder-meta.xml`, metadataFile('DashboardFolder', folder)],
  ];
}

function toColumns(fields: readonly MappedFieldSpec[], listed: ListedObject): ReportColumns {
  const { object, toFieldName } = listed;
  const column = (name: string) => `${object}$${toFieldName(name)}`;
  const find = (...sources: string[]) => {
    const found = sources.flatMap((source) => fields.find(({ from }) => from === source) ?? []);
    return found[0] === undefined ? undefined : column(found[0].name);
  };
  return {
    name: `${object}$Name`,
    capacity: find('capacity.nonprofit', 'capacity.highest', 'netWorth.low'),
    strength: find('warmPath.strength'),
    network: find('warmPath.network'),
    // Long texts are left out, because a row of a report is too short for them.
    all: fields.filter(({ type }) => type !== 'longText').map(({ name }) => column(name)),
  };
}

function reportType(
  fields: readonly MappedFieldSpec[],
  { listed, noun }: Subject,
): MetadataElements {
  const columns = ['Name', ...fields.map(({ name }) => listed.toFieldName(name))];
  return {
    baseObject: listed.object,
    category: 'accounts',
    deployed: true,
    description: `${noun} with the fields that donor-sync writes.`,
    label: `donor-sync: ${noun}`,
    sections: {
      columns: columns.map((field) => ({ checkedByDefault: true, field, table: listed.object })),
      masterLabel: noun,
    },
  };
}

interface NamedReport {
  name: string;
  title: string;
  /** The column by which the rows are sorted. A table on the dashboard shows this column next to the name. */
  sortedBy: string;
  nameColumn: string;
  report: MetadataElements;
}

function reportsOf(
  { name: nameColumn, capacity, strength, network, all }: ReportColumns,
  type: string,
  { suffix, noun }: Subject,
): NamedReport[] {
  const build = (topic: string, title: string, column: string, least: number): NamedReport => ({
    name: `donor_sync_${topic}_${suffix}`,
    title: `${title}: ${noun}`,
    sortedBy: column,
    nameColumn,
    report: {
      columns: [nameColumn, ...all].map((field) => ({ field })),
      filter: { criteriaItems: { column, operator: 'greaterOrEqual', value: least } },
      format: 'Tabular',
      name: `donor-sync: ${title.toLowerCase()}`,
      reportType: type,
      rowLimit: TABLE_ROWS,
      scope: 'organization',
      showDetails: true,
      sortColumn: column,
      sortOrder: 'Desc',
    },
  });
  const found: NamedReport[] = [];
  if (capacity !== undefined) {
    found.push(build('high_capacity', 'High capacity', capacity, HIGH_CAPACITY));
  }
  if (strength !== undefined && network !== undefined) {
    found.push(build('warm_path', 'Warm paths', strength, WARM_PATH));
  }
  return found;
}

function dashboard(reports: readonly NamedReport[], { noun }: Subject): MetadataElements {
  const width = 12 / reports.length;
  return {
    backgroundEndColor: '#FFFFFF',
    backgroundFadeDirection: 'Diagonal',
    backgroundStartColor: '#FFFFFF',
    dashboardGridLayout: {
      dashboardGridComponents: reports.map((report, at) => ({
        colSpan: width,
        columnIndex: at * width,
        dashboardComponent: table(report),
        rowIndex: 0,
        rowSpan: 9,
      })),
      numberOfColumns: 12,
      rowHeight: 36,
    },
    // Each user sees the records that he or she may read. The rights of the administrator who deployed the dashboard do
    // not apply.
    dashboardType: 'LoggedInUser',
    isGridLayout: true,
    textColor: '#000000',
    title: `donor-sync: ${noun}`,
    titleColor: '#000000',
    titleSize: 12,
  };
}

function table({ name, title, sortedBy, nameColumn }: NamedReport): MetadataElements {
  return {
    autoselectColumnsFromReport: false,
    componentType: 'Table',
    dashboardTableColumn: [
      { column: nameColumn, showTotal: false },
      { column: sortedBy, showTotal: false, sortBy: 'RowValueDescending' },
    ],
    displayUnits: 'Auto',
    header: title,
    indicatorHighColor: '#54C254',
    indicatorLowColor: '#C25454',
    indicatorMiddleColor: '#C2C254',
    maxValuesDisplayed: TABLE_ROWS,
    report: `${FOLDER}/${name}`,
    showPicturesOnTables: false,
  };
}
