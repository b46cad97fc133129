/** The org's reports, which are lists of contacts that a user has created. */

import { type Database, quoted } from '../core/database.ts';
import { createId } from '../core/ids.ts';
import { systemValues } from '../metadata/setup-records.ts';

/** A report that lists contacts. */
export interface Report {
  id: string;
  name: string;
  developerName: string;
  description: string;
  /** The filters of the report as a SOQL condition on Contact, or null for all contacts. */
  where: string | null;
}

export const REPORTS: readonly Report[] = [
  {
    name: 'Board Members',
    developerName: 'Board_Members',
    description: 'The contacts in the campaign Board of Directors',
    where: inCampaign('Board of Directors'),
  },
  {
    name: 'Staff Members',
    developerName: 'Staff_Members',
    description: 'The contacts in the campaign Staff',
    where: inCampaign('Staff'),
  },
  {
    name: 'All Contacts',
    developerName: 'All_Contacts',
    description: 'Every contact of the org',
    where: null,
  },
].map((report, index) => ({ ...report, id: createId('00O', index + 1) }));

/** Writes the records of the reports. The database must not contain any reports yet. */
export function fillReports(db: Database, atMs: number): void {
  for (const [index, { id, name, developerName, description }] of REPORTS.entries()) {
    const row = {
      rowid: index + 1,
      Id: id,
      ...systemValues(atMs),
      Name: name,
      DeveloperName: developerName,
      FolderName: 'Public Reports',
      Description: description,
      Format: 'Tabular',
    };
    const names = Object.keys(row).map(quoted).join(', ');
    const marks = Object.keys(row)
      .map(() => '?')
      .join(', ');
    db.prepare(`insert into ${quoted('Report')} (${names}) values (${marks})`).run(
      ...Object.values(row),
    );
  }
}

function inCampaign(name: string): string {
  return `Id IN (SELECT ContactId FROM CampaignMember WHERE Campaign.Name = '${name}')`;
}
