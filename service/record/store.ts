import { z } from 'zod';
import type { Database } from '../database.ts';
import { BODY_KINDS, type Donor, SOURCED_FACTS } from '../donor.ts';
import { comparableEmployer } from '../matcher/employers.ts';
import type { NamedOrganisation } from './entry.ts';
import { listOf } from './lists.ts';
import { idFrom } from './merge.ts';
import { isVacant, vacantDonor } from './vacancy.ts';

export interface ImportedFile {
  /** A hash that identifies the kind of file, the file's content and the operator's statement. */
  fingerprint: string;
  kind: string;
  /** The name of the imported file without its folder. */
  file: string;
  atMs: number;
  /** The number of people in the file, and the numbers of new and changed people. */
  people: number;
  added: number;
  changed: number;
}

/** The facts about a donor that no longer exists. The donor was joined to another donor or erased. */
export interface Vacancy {
  number: number;
  joinedTo: number | null;
  /**
   * The probability that the two donors are one person, and the reasons. For an erased donor, the probability is null
   * and the reasons are empty.
   */
  probability: number | null;
  reasons: readonly string[];
  atMs: number;
}

/** The imported people. Call the functions that write inside a transaction. */
export interface RecordStore {
  /** Returns the number of all donor numbers, including numbers without a donor. */
  count(): number;
  people(): number;
  donor(number: number): Donor | null;
  numberOf(id: string): number | null;
  numberByKey(key: string): number | null;
  write(number: number, donor: Donor, keys: readonly string[]): void;
  /**
   * Returns the organisation's ID, and the name with which the organisation was first imported. Stores a new
   * organisation.
   */
  identify(organisation: NamedOrganisation): { id: string; name: string };
  isImported(fingerprint: string): boolean;
  noteImport(file: ImportedFile): void;
  imports(): ImportedFile[];
  keysOf(number: number): string[];
  /**
   * Marks the donor's old keys in the lists of these keys as no longer used. In these lists, the donor now has the new
   * keys. Returns the old keys and their new names.
   */
  retireKeys(number: number, keys: readonly string[]): { key: string; former: string }[];
  /**
   * Returns the ID for a new donor with this key. The ID is different if the list used the key for another person
   * before.
   */
  freeId(key: string): string;
  /** Returns the IDs of the donors that were joined to a donor. */
  aliasesOf(number: number): string[];
  /**
   * Removes a donor's data but keeps its number. After that, the donor's IDs and keys lead to another donor or to
   * nobody.
   */
  vacate(vacancy: Vacancy): void;
  /** Makes a part of a joined donor a separate donor again. The part's ID, keys and earlier IDs lead to that donor. */
  restore(restored: {
    number: number;
    donor: Donor;
    keys: readonly string[];
    aliases: readonly string[];
  }): void;
  /** Makes earlier IDs lead to a different donor, if the IDs belong to that donor's parts. */
  redirect(from: number, to: number): void;
  /** Returns true if other donors were joined to the donor. */
  hasJoined(number: number): boolean;
  noteUndone(undone: { number: number; apartFrom: number; atMs: number }): void;
  /** Returns the number of people who were added, changed or removed. */
  changes(): number;
  countOrganisations(): number;
}

/** Opens the store of imported people in a database. */
export function openRecord(db: Database): RecordStore {
  const sql = prepareStatements(db);

  function identify({ name, ein }: NamedOrganisation): { id: string; name: string } {
    const comparable = comparableEmployer(name);
    const known = ein === null ? null : sql.byEin.get(ein);
    if (known) return known;
    const [named, ...others] = sql.byName.all(comparable);
    const isOnly = named !== undefined && others.length === 0;
    // The name is enough to identify an organisation if only one organisation has the name. Two different EINs mean two
    // organisations.
    if (isOnly && (ein === null || named.ein === null)) {
      if (ein !== null) sql.setEin.run(ein, named.id);
      return named;
    }
    const id = idFrom('organisation', ein === null ? `name ${comparable}` : `ein ${ein}`);
    sql.addOrganisation.run({ id, name, comparable, ein });
    return { id, name };
  }

  return {
    count: () => sql.count.get() ?? 0,
    people: () => (sql.count.get() ?? 0) - (sql.vacancies.get() ?? 0),
    donor(number) {
      const text = sql.donor.get(number);
      return text === undefined ? null : readDonor(text);
    },
    numberOf: (id) => (isVacant({ id }) ? null : (sql.byId.get(id) ?? sql.byAlias.get(id) ?? null)),
    numberByKey: (key) => sql.byKey.get(key) ?? null,
    keysOf: (number) => sql.keysOf.all(number),
    retireKeys(number, keys) {
      const lists = new Set(keys.map(listOf));
      const retired = sql.keysOf
        .all(number)
        .filter((key) => lists.has(listOf(key)))
        .map((key) => ({ key, former: `former-${key}` }));
      for (const { key, former } of retired) sql.retireKey.run(former, key);
      return retired;
    },
    freeId(key) {
      for (let again = 0; ; again += 1) {
        const id = idFrom('person', again === 0 ? key : `${key} again ${again}`);
        if (sql.isUsed.get(id, id, id) === undefined) return id;
      }
    },
    aliasesOf: (number) => sql.aliasesOf.all(number),
    vacate({ number, joinedTo, probability, reasons, atMs }) {
      const id = sql.idOf.get(number);
      if (joinedTo === null) {
        sql.dropKeys.run(number);
        sql.dropAliases.run(number);
      } else {
        sql.moveKeys.run(joinedTo, number);
        sql.moveAliases.run(joinedTo, number);
        if (id !== undefined) sql.addAlias.run(id, joinedTo);
      }
      const vacant = vacantDonor(number);
      sql.replace.run(vacant.id, JSON.stringify(vacant), number);
      sql.noteVacancy.run(number, joinedTo, probability, JSON.stringify(reasons), atMs);
    },
    write(number, donor, keys) {
      sql.write.run(number, donor.id, JSON.stringify(donor));
      for (const key of keys) sql.addKey.run(key, number);
    },
    identify,
    isImported: (fingerprint) => sql.isImported.get(fingerprint) !== undefined,
    noteImport(file) {
      sql.noteImport.run(file);
    },
    imports: () => sql.imports.all(),
    restore({ number, donor, keys, aliases }) {
      sql.dropAlias.run(donor.id);
      sql.dropVacancy.run(number);
      sql.restore.run(number, donor.id, JSON.stringify(donor));
      for (const key of keys) sql.moveKey.run(key, number);
      for (const alias of aliases) sql.moveAlias.run(number, alias);
    },
    redirect(from, to) {
      sql.redirect.run(to, from, to);
    },
    hasJoined: (number) => (sql.joined.get(number) ?? 0) > 0,
    noteUndone(undone) {
      sql.noteUndone.run(undone);
    },
    // An undone join reduces the number of vacancies. The result must nevertheless differ from all earlier results.
    changes: () =>
      (sql.changes.get() ?? 0) + (sql.vacancies.get() ?? 0) + 2 * (sql.undone.get() ?? 0),
    countOrganisations: () => sql.organisations.get() ?? 0,
  };
}

function prepareStatements(db: Database) {
  const number = (query: string) => db.prepare<[string], number>(query).pluck();
  const total = (query: string) => db.prepare<[], number>(query).pluck();
  return {
    // Donor numbers have no gaps, so the last number shows how many there are.
    count: total('select coalesce(max(number) + 1, 0) from record_donors'),
    donor: db.prepare<[number], string>('select donor from record_donors where number = ?').pluck(),
    byId: number('select number from record_donors where id = ?'),
    byAlias: number('select number from record_aliases where id = ?'),
    idOf: db.prepare<[number], string>('select id from record_donors where number = ?').pluck(),
    keysOf: db.prepare<[number], string>('select key from record_keys where number = ?').pluck(),
    retireKey: db.prepare<[string, string]>(
      'update or replace record_keys set key = ? where key = ?',
    ),
    isUsed: db.prepare<[string, string, string]>(
      `select 1 from record_donors where id = ? union all select 1 from record_aliases where id = ?
       union all select 1 from record_parts where id = ?`,
    ),
    dropKeys: db.prepare<[number]>('delete from record_keys where number = ?'),
    moveKeys: db.prepare<[number, number]>('update record_keys set number = ? where number = ?'),
    aliasesOf: db
      .prepare<[number], string>('select id from record_aliases where number = ?')
      .pluck(),
    addAlias: db.prepare<[string, number]>('insert into record_aliases values (?, ?)'),
    dropAliases: db.prepare<[number]>('delete from record_aliases where number = ?'),
    moveAliases: db.prepare<[number, number]>(
      'update record_aliases set number = ? where number = ?',
    ),
    replace: db.prepare<[string, string, number]>(
      'update record_donors set id = ?, donor = ? where number = ?',
    ),
    noteVacancy: db.prepare<[number, number | null, number | null, string, number]>(
      'insert into record_vacancies values (?, ?, ?, ?, ?)',
    ),
    dropAlias: db.prepare<[string]>('delete from record_aliases where id = ?'),
    dropVacancy: db.prepare<[number]>('delete from record_vacancies where number = ?'),
    restore: db.prepare<[number, string, string]>(
      `insert into record_donors values (?, ?, ?)
       on conflict (number) do update set id = excluded.id, donor = excluded.donor`,
    ),
    moveKey: db.prepare<[string, number]>('insert or replace into record_keys values (?, ?)'),
    moveAlias: db.prepare<[number, string]>('update record_aliases set number = ? where id = ?'),
    redirect: db.prepare<[number, number, number]>(
      `update record_vacancies set joined_to = ?
       where joined_to = ? and number in (select own_number from record_parts where number = ?)`,
    ),
    joined: db
      .prepare<[number], number>('select count(*) from record_vacancies where joined_to = ?')
      .pluck(),
    noteUndone: db.prepare<[{ number: number; apartFrom: number; atMs: number }]>(
      'insert into record_undone (number, apart_from, at_ms) values (@number, @apartFrom, @atMs)',
    ),
    undone: total('select count(*) from record_undone'),
    vacancies: total('select count(*) from record_vacancies'),
    byKey: number('select number from record_keys where key = ?'),
    write: db.prepare<[number, string, string]>(
      `insert into record_donors values (?, ?, ?)
       on conflict (number) do update set donor = excluded.donor`,
    ),
    addKey: db.prepare<[string, number]>('insert or ignore into record_keys values (?, ?)'),
    byEin: db.prepare<[string], { id: string; name: string }>(
      'select id, name from record_organisations where ein = ?',
    ),
    byName: db.prepare<[string], { id: string; name: string; ein: string | null }>(
      'select id, name, ein from record_organisations where comparable = ? order by id limit 2',
    ),
    setEin: db.prepare<[string, string]>('update record_organisations set ein = ? where id = ?'),
    addOrganisation: db.prepare<
      [{ id: string; name: string; comparable: string; ein: string | null }]
    >('insert or ignore into record_organisations values (@id, @name, @comparable, @ein)'),
    isImported: db.prepare<[string], number>('select 1 from record_imports where fingerprint = ?'),
    noteImport: db.prepare<[ImportedFile]>(
      `insert into record_imports values (@fingerprint, @kind, @file, @atMs, @people, @added, @changed)`,
    ),
    imports: db.prepare<[], ImportedFile>(
      `select fingerprint, kind, file, at_ms atMs, people, added, changed from record_imports
       order by at_ms, file`,
    ),
    changes: total('select sum(added + changed) from record_imports'),
    organisations: total('select count(*) from record_organisations'),
  };
}

export function readDonor(text: string): Donor {
  return donorSchema.parse(JSON.parse(text));
}

const noteSchema = z.object({
  source: z.string(),
  reference: z.string(),
  date: z.string(),
  confidence: z.number(),
});

const roleSchema = z.object({
  organisationId: z.string(),
  organisationName: z.string(),
  title: z.string(),
  start: z.string(),
  end: z.string().nullable(),
  body: z.enum(BODY_KINDS).exactOptional(),
  isService: z.boolean().exactOptional(),
  source: noteSchema.exactOptional(),
});

const donorSchema = z.object({
  id: z.string(),
  name: z.object({ first: z.string(), middle: z.string().nullable(), last: z.string() }),
  suffix: z.string().exactOptional(),
  birthYear: z.number().nullable(),
  birthday: z.string().exactOptional(),
  isDeceased: z.boolean().exactOptional(),
  householdId: z.string().nullable(),
  addresses: z.array(
    z.object({
      street: z.string(),
      city: z.string(),
      state: z.string(),
      postalCode: z.string(),
    }),
  ),
  work: z.array(roleSchema),
  education: z.array(roleSchema),
  boards: z.array(roleSchema),
  gifts: z.array(
    z.object({
      organisationId: z.string(),
      organisationName: z.string(),
      amount: z.number(),
      date: z.string(),
      source: noteSchema.exactOptional(),
    }),
  ),
  netWorth: z.object({ low: z.number(), high: z.number() }).nullable(),
  capacity: z.object({
    political: z.number().nullable(),
    nonprofit: z.number().nullable(),
  }),
  bio: z.array(z.string()),
  sources: z.partialRecord(z.enum(SOURCED_FACTS), noteSchema).exactOptional(),
}) satisfies z.ZodType<Donor>;
