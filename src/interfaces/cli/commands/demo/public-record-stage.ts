/**
 * Prepares the demo of public records. This file imports code of the service, so it is loaded only for the demo of
 * public records.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dataPath } from '../../../../../people/data-file.ts';
import {
  importPeople,
  openDatabase,
  openTeamKeys,
  openTeams,
  startService,
} from '../../../../../service/operation/index.ts';

/** A running service with the people in the example tax returns. */
export interface RecordStage {
  baseUrl: string;
  apiKey: string;
  /** The imported tax returns and the people in them. */
  returns: string[];
  people: number;
  close(): Promise<void>;
}

const TEAM = 'demo';
const CREDITS = 100;

/** Imports the tax returns, creates a service key and starts the service. */
export async function setRecordStage(
  folder: string,
  { clock, report }: { clock: () => number; report: (error: Error) => void },
): Promise<RecordStage> {
  const file = join(folder, 'service.db');
  const returns = dataPath('sample-returns');
  const db = openDatabase(file);
  let apiKey = '';
  let people = 0;
  try {
    const imported = await importPeople(db, {
      kind: '990',
      paths: [returns],
      roles: null,
      source: '',
      date: '',
      confidence: 1,
      clock,
    });
    people = imported.added;
    const teams = openTeams(db, clock);
    teams.add(TEAM, CREDITS);
    apiKey = openTeamKeys(db, teams, clock).issue({
      team: TEAM,
      label: 'demo',
      deactivatesOn: null,
    }).apiKey;
  } finally {
    db.close();
  }
  const { baseUrl, close } = await startService({
    db: file,
    host: '127.0.0.1',
    port: 0,
    operatorPort: null,
    rate: 10,
    burst: 10,
    chargeQueries: false,
    chargeSingleAdd: false,
    clock,
    report,
  });
  const names = readdirSync(returns).filter((name) => name.endsWith('.xml'));
  return { baseUrl, apiKey, returns: names.toSorted(), people, close };
}
