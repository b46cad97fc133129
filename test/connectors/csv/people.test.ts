import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContactsSettings, Finding } from '../../../connectors/contract.ts';
import { csvConnector } from '../../../connectors/csv/connector.ts';
import { toArray } from '../connector-options.ts';
import { COLUMNS, type ConnectorChoices, type CsvFolder, openCsvFolder } from '../csv-folder.ts';

const WHOLE = { id: 'Id', fullName: 'Name', addresses: ['Street'], employers: ['Employer'] };

describe('who the contacts of a CSV file are', () => {
  let folder: CsvFolder;
  beforeEach(async () => {
    folder = await openCsvFolder();
  });
  afterEach(() => folder.close());

  /** Reads the contacts in this file in pages and by their ids, and expects the same result. */
  async function read(content: string, options: ConnectorChoices) {
    await folder.write('in.csv', content);
    const connector = await folder.connector(options);
    const pages = await toArray(connector.readPages(null));
    const contacts = pages.flatMap((page) => page.contacts);
    const ids = contacts.map(({ id }) => id);
    const found = await connector.readByIds(ids, []);
    expect(found.map((one) => one.state === 'found' && one.contact)).toEqual(contacts);
    await connector.close();
    return contacts;
  }

  async function check(content: string, options: ConnectorChoices): Promise<Finding[]> {
    await folder.write('in.csv', content);
    return folder.check(options);
  }

  describe('with whole names in one column', () => {
    const FILE = [
      'Id,Name,Street,Employer',
      '1,"Lopez, Maria",1 Elm Street,Acme',
      '2,Dr. Ana de la Cruz,,',
      '3,"Smith, John A., Jr.",,',
      '4,Madonna,,',
      '5,,,',
    ].join('\n');

    it('takes them apart, and guesses none', async () => {
      const contacts = await read(FILE, { settings: { columns: WHOLE } });
      expect(contacts.map(({ firstName, lastName }) => [firstName, lastName])).toEqual([
        ['Maria', 'Lopez'],
        ['Ana', 'de la Cruz'],
        ['John A.', 'Smith Jr.'],
        [null, null],
        [null, null],
      ]);
    });

    it('needs that column, and says so', async () => {
      await folder.write('in.csv', 'Id,name,Street,Employer\n');
      await expect(folder.connector({ settings: { columns: WHOLE } })).rejects.toThrow(
        'no column "Name" (crm.columns.fullName). Did you mean "name"?',
      );
    });

    it('says in the check how many could be taken apart', async () => {
      const findings = await check(FILE, { settings: { columns: WHOLE } });
      expect(findings.find(({ subject }) => subject === 'names')).toMatchObject({
        ok: true,
        message: '3 of 5 contacts have a first and a last name',
        fix: null,
      });
    });

    it('is not in order where no contact has both names, and doubtful where few have', async () => {
      const columns = { ...COLUMNS, firstName: 'Empty', lastName: 'Name', addresses: [] };
      const header = 'Id,Name,Empty,Employer';
      const none = `${header}\n1,"Lopez, Maria",,\n2,"Smith, John",,\n`;
      const names = (findings: Finding[]) => findings.find(({ subject }) => subject === 'names');
      expect(names(await check(none, { settings: { columns } }))).toMatchObject({
        ok: false,
        fix: expect.stringContaining('crm.columns.fullName'),
      });
      const few = `${none}3,Lee,Bea,\n`;
      expect(names(await check(few, { settings: { columns } }))).toMatchObject({
        ok: true,
        fix: expect.stringContaining('crm.columns'),
      });
    });
  });

  describe('who is not asked about', () => {
    const HEADER = 'Id,First,Last,Street,City,Employer,Mark';
    const WORDS = ['', 'false', 'No', '0', 'yes', '2019-03-04', 'x', 'passed away'];
    const FILE = `${HEADER}\n${WORDS.map((word, at) => `${at},a,b,,,,${word}`).join('\n')}\n`;

    it.each([
      ['deceasedField', 'deceased', 'includeDeceased', 'deceased'],
      ['doNotContactField', 'do_not_contact', 'includeDoNotContact', 'do not contact'],
    ] as const)('is who contacts.%s marks', async (setting, exclusion, include, subject) => {
      const contacts = { [setting]: 'Mark' };
      const found = await read(FILE, { contacts });
      expect(found.map(({ excluded = null }) => excluded)).toEqual([
        ...[null, null, null, null],
        ...[exclusion, exclusion, exclusion, 'mark_unknown'],
      ]);
      expect(found.every(({ optedOut }) => !optedOut)).toBe(true);
      const findings = await check(FILE, { contacts });
      expect(findings.find((finding) => finding.subject === subject)).toMatchObject({
        ok: true,
        message: '3 of 8 contacts are excluded by "Mark"',
      });
      expect(findings.find((finding) => finding.subject === 'unknown marks')).toMatchObject({
        ok: true,
        message: expect.stringContaining('"passed away" (1)'),
        report: '1 values of a mark are unknown',
      });
      const all = await read(FILE, { contacts: { ...contacts, [include]: true } });
      expect(all.every(({ excluded = null }) => excluded === null)).toBe(true);
    });

    it.each([
      ['German', 'Ja', 'Nein', 'WAHR', 'FALSCH'],
      ['French', 'Oui', 'Non', 'VRAI', 'FAUX'],
      ['Spanish', 'Sí', 'No', 'VERDADERO', 'FALSO'],
      ['Italian', 'Sì', 'No', 'VERO', 'FALSO'],
      ['Portuguese', 'Sim', 'Não', 'VERDADEIRO', 'FALSO'],
      ['Dutch', 'Ja', 'Nee', 'WAAR', 'ONWAAR'],
      ['Swedish', 'Ja', 'Nej', 'SANT', 'FALSKT'],
      ['Danish', 'Ja', 'Nej', 'SAND', 'FALSK'],
      ['Norwegian', 'Ja', 'Nei', 'SANN', 'USANN'],
      ['Finnish', 'Kyllä', 'Ei', 'TOSI', 'EPÄTOSI'],
      ['Polish', 'Tak', 'Nie', 'PRAWDA', 'FAŁSZ'],
      ['Czech', 'Ano', 'Ne', 'PRAVDA', 'NEPRAVDA'],
      ['Hungarian', 'Igen', 'Nem', 'IGAZ', 'HAMIS'],
      ['Romanian', 'Da', 'Nu', 'ADEVĂRAT', 'FALS'],
    ])('are told by words for yes and no in %s', async (_, ...words) => {
      const rows = words.map((word, at) => `${at},a,b,,,,${word}`).join('\n');
      const contacts = { optOutField: 'Mark' };
      const found = await read(`${HEADER}\n${rows}\n`, { contacts });
      expect(found.map(({ optedOut }) => optedOut)).toEqual([true, false, true, false]);
      expect(found.map(({ excluded = null }) => excluded)).toEqual([null, null, null, null]);
    });

    it('are nobody by a word that no list has, until the settings say what it means', async () => {
      const rows = ['Active', 'Deceased', 'Lapsed', ''].map((word, at) => `${at},a,b,,,,${word}`);
      const file = `${HEADER}\n${rows.join('\n')}\n`;
      const read3 = async (contacts: Partial<ContactsSettings>) =>
        (await read(file, { contacts: { deceasedField: 'Mark', ...contacts } })).map(
          ({ excluded = null }) => excluded,
        );
      expect(await read3({})).toEqual(['mark_unknown', 'mark_unknown', 'mark_unknown', null]);
      const deceasedValues = ['deceased'];
      const known = { deceasedValues, unmarkedValues: { deceased: ['ACTIVE'] } };
      expect(await read3(known)).toEqual([null, 'deceased', 'mark_unknown', null]);
      expect(await read3({ deceasedValues })).toEqual([null, 'deceased', null, null]);
      const found = await check(file, { contacts: { deceasedField: 'Mark' } });
      expect(found.find(({ subject }) => subject === 'unknown marks')).toMatchObject({
        ok: false,
        message: expect.stringContaining('"Active" (1), "Deceased" (1), "Lapsed" (1)'),
        fix: expect.stringMatching(/contacts\.deceasedValues.*contacts\.unmarkedValues\.deceased/),
      });
    });

    it('is told of a file without an address or an employer, with the price', async () => {
      const columns = { ...WHOLE, addresses: [], employers: [] };
      const found = await check('Id,Name\n1,Maria Lopez\n', { settings: { columns } });
      for (const subject of ['address', 'employer']) {
        expect(found.find((finding) => finding.subject === subject)).toMatchObject({
          ok: true,
          message: expect.stringContaining('recognises fewer'),
        });
      }
    });

    it.each(['deceasedField', 'doNotContactField'])(
      'needs the column of contacts.%s, and names the one that is probably meant',
      async (setting) => {
        await folder.write('in.csv', FILE);
        await expect(folder.connector({ contacts: { [setting]: 'Marc' } })).rejects.toThrow(
          `no column "Marc" (contacts.${setting}). Did you mean "Mark"?`,
        );
      },
    );

    it('is who has one of contacts.optOutValues, where they are given, and no other contact', async () => {
      const contacts = { optOutField: 'Mark', optOutValues: ['YES', 'Passed  away'] };
      const found = await read(FILE, { contacts });
      expect(found.flatMap(({ id, optedOut }) => (optedOut ? [id] : []))).toEqual(['4', '7']);
    });

    it('is refused where values opt out, and no column is named that has them', async () => {
      await folder.write('in.csv', FILE);
      await expect(folder.connector({ contacts: { optOutValues: ['yes'] } })).rejects.toMatchObject(
        {
          code: 'opt_out_values_unknown',
          message: expect.stringContaining('contacts.optOutField'),
        },
      );
    });

    it('is doubtful where no row has one of the values', async () => {
      const contacts = { optOutField: 'Mark', optOutValues: ['never'] };
      const findings = await check(FILE, { contacts });
      expect(findings.find(({ subject }) => subject === 'opt-out')).toMatchObject({
        message: '0 of 8 contacts have opted out according to "Mark"',
        fix: expect.stringContaining('contacts.optOutValues'),
      });
    });
  });

  it('are of another mapping where other columns make them, whatever else is changed', async () => {
    await folder.write('in.csv', 'Id,First,Last,Street,City,Employer,Name\n');
    const shape = async (options: ConnectorChoices) => {
      const connector = await folder.connector(options);
      await connector.close();
      return connector.identity?.();
    };
    const usual = await shape({});
    expect(usual).toMatchObject({
      mode: 'plain',
      names: ['First', 'Last'],
      sources: [
        { name: 'Street', part: 'addresses', readable: true },
        { name: 'City', part: 'addresses', readable: true },
        { name: 'Employer', part: 'employers', readable: true },
      ],
    });
    expect(
      await shape({ settings: { delimiter: ',' }, contacts: { optOutField: 'City' } }),
    ).toEqual(usual);
    const others = await Promise.all(
      [
        { ...COLUMNS, firstName: 'City' },
        { ...COLUMNS, addresses: ['Street'] },
        { ...COLUMNS, employers: [] },
        { id: 'Id', fullName: 'Name', addresses: COLUMNS.addresses, employers: COLUMNS.employers },
      ].map((columns) => shape({ settings: { columns } })),
    );
    expect(new Set([usual, ...others].map((each) => each?.columns)).size).toBe(5);
  });
});

describe('the columns of a CSV file in the settings', () => {
  const parse = (columns: object) =>
    csvConnector.settingsSchema.safeParse({ kind: 'csv', path: 'in.csv', columns });

  it.each([
    ['first and last name', { id: 'Id', firstName: 'First', lastName: 'Last' }],
    ['whole names', { id: 'Id', fullName: 'Name' }],
  ])('may name %s', (_, columns) => {
    expect(parse(columns).success).toBe(true);
  });

  it.each([
    ['one column for both names', { firstName: 'Full Name', lastName: 'Full Name' }, 'lastName'],
    ['the same column thrice', { firstName: 'N', lastName: 'N', fullName: 'N' }, 'fullName'],
    ['whole names beside a part', { firstName: 'First', fullName: 'Name' }, 'fullName'],
    ['the first name alone', { firstName: 'First' }, 'lastName'],
    ['the last name alone', { lastName: 'Last' }, 'firstName'],
    ['no name', {}, 'firstName'],
  ])('may not name %s, and the message names the way out', (_, columns, setting) => {
    const { error } = parse({ id: 'Id', ...columns });
    expect(error?.issues).toMatchObject([
      {
        path: ['columns', setting],
        message: expect.stringContaining('crm.columns.fullName'),
      },
    ]);
  });
});

describe('the ids of a CSV file', () => {
  it.each([
    ['A-1', 'A-1'],
    ['  A-1\t', 'A-1'],
    ['007', '007'],
    ["'=1+1", '=1+1'],
    ["  '=3", '=3'],
    ['', null],
    ['   ', null],
  ])('have the form in which rows have them (%j)', (text, id) => {
    expect(csvConnector.canonicalId?.(text)).toBe(id);
  });

  it('are found by the form that the connector makes of them', async () => {
    const folder = await openCsvFolder();
    await folder.write(
      'in.csv',
      "Id,First,Last,Street,City,Employer\n' A-1,a,b,,,\n'=2,a,b,,,\n  '=3,a,b,,,\n",
    );
    const connector = await folder.connector();
    for (const typed of ["' A-1", "'=2", '=2', ' =2 ', "  '=3", '=3']) {
      const id = csvConnector.canonicalId?.(typed) ?? '';
      for (const form of [id, typed]) {
        const found = { state: 'found', id: form, contact: { id } };
        expect(await connector.readByIds([form], [])).toMatchObject([found]);
      }
    }
    await connector.close();
    await folder.close();
  });
});
