import { missingParts } from '../../../../connectors/findings/missing-parts.ts';
import { findRemoteCrm } from '../../../../connectors/index.ts';
import type { MarkKind } from '../../../../connectors/marks/mark-values.ts';
import {
  type ChosenColumns,
  type ColumnLine,
  listFileColumns,
} from '../../../clients/setup/column-list.ts';
import type { Setup } from '../../../clients/setup/draft.ts';
import { fileNotes } from '../../../clients/setup/file-notes.ts';
import {
  askContactMarks,
  readContactMarks,
} from '../../../clients/setup/interview/contact-marks.ts';
import { MARK_COLUMNS } from '../../../clients/setup/interview/marks.ts';
import { findOptions, NONE as NO_MARKS } from '../../../clients/setup/interview/question.ts';
import { QUESTIONS } from '../../../clients/setup/interview/questions.ts';
import {
  MARKS,
  type MarkFieldValues,
  markableColumns,
  saidMeaning,
} from '../../../clients/setup/mark-fields.ts';
import type { PeoplePreview } from '../../../clients/setup/setup-preview.ts';
import type { CrmField } from '../../../core/crm-field.ts';
import { outcomeText } from '../../../core/outcome.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import { TableCell, TableHead } from '../frame/parts.tsx';
import { Choice, Field, FormButtons, Ticks } from './parts.tsx';
import { SampledPersons } from './persons.tsx';
import type { StepView } from './steps.ts';

const NONE = { value: '', label: '— none —' };

export function PeopleStep({ setup, view }: { setup: Setup; view: StepView['people'] }) {
  const { header, look } = view;
  const { crm, contacts } = setup.answers;
  const names = header?.columns ?? [];
  const fields =
    header === null ? fieldChoices(look?.fields ?? []) : nameChoices(markableColumns(header));
  return (
    <form class="stack" method="post" action={`/setup/${setup.id}/people`} data-look>
      <input type="hidden" name="version" value={String(setup.version)} />
      {header === null ? (
        <CrmPeople crm={crm} filter={contacts.filter} />
      ) : (
        <Columns crm={crm} names={names} />
      )}
      {header !== null && (
        <AllColumns lines={listFileColumns(header, chosenColumns(crm, contacts))} />
      )}
      {header !== null &&
        fileNotes(header, chosenColumns(crm, contacts)).map((text) => <p class="note">{text}</p>)}
      <p class="quiet" id="about-marks">
        A mark is a {header === null ? 'field in your CRM' : 'column in your file'} that says whom
        donor-sync must leave out. For example, if{' '}
        {header === null ? 'the field “Do not research”' : 'the column “Do not research”'} contains
        “yes” for a contact, choose it below, and this contact is never sent to the service.
      </p>
      <div class="grid">
        {MARKS.map(({ kind, setting }) => (
          <Choice
            name={kind}
            label={MARK_COLUMNS[kind].label}
            value={contacts[setting] ?? ''}
            options={markChoices(kind, { chosen: contacts[setting], fields, look })}
          />
        ))}
      </div>
      <ContactMarks setup={setup} />
      {MARKS.map(({ kind }) => (
        <div id={`values-${kind}`} data-part>
          {view.values
            .filter((one) => one.kind === kind)
            .map((one) => (
              <MarkMeanings values={one} contacts={contacts} />
            ))}
        </div>
      ))}
      <div id="look" data-part aria-live="polite">
        <People look={look} isFile={header !== null} />
      </div>
      <FormButtons back={`/setup/${setup.id}/key`}>
        <button type="submit" class="button" name="do" value="look">
          Show who is sent
        </button>
      </FormButtons>
    </form>
  );
}

/** Renders the CRM's marks for email and calls. No option is selected until the user has decided. */
function ContactMarks({ setup }: { setup: Setup }) {
  const about = findRemoteCrm(setup.answers.crm?.kind);
  const question = about === undefined ? null : askContactMarks(about);
  if (about === undefined || question === null) return null;
  const answer = readContactMarks(about, setup.answers.contacts);
  const isAnswered = answer !== NO_MARKS || setup.done.includes('people');
  const none = { value: '', label: '— choose —' };
  const options = typeof question.options === 'object' ? question.options : [];
  return (
    <Choice
      name="contactMarks"
      label={question.ask}
      hint={question.hint}
      value={isAnswered ? answer : ''}
      options={isAnswered ? options : [none, ...options]}
    />
  );
}

/** The reasons under which the CRM's own marks exclude contacts. */
const LEFT_BY = { deceased: 'deceased', doNotContact: 'do_not_contact' } as const;

/**
 * Returns the fields that the user can choose. If the CRM has its own mark, the option without a field is named
 * "Automatic".
 */
function markChoices(
  kind: MarkKind,
  props: {
    chosen: string | null;
    fields: readonly { value: string; label: string }[];
    look: PeoplePreview | null;
  },
) {
  const { chosen, fields, look } = props;
  const own = look?.automatic.find((one) => one.kind === kind);
  const count = kind === 'optOut' ? 0 : (look?.left[LEFT_BY[kind]] ?? 0);
  const counted = chosen === null ? ` (${describeCount(count, 'contact')})` : '';
  const none =
    own === undefined
      ? NONE
      : { value: '', label: `Automatic: ${own.fields.join(', ')}${counted}` };
  const isThere = chosen === null || fields.some(({ value }) => value === chosen);
  return isThere ? [none, ...fields] : [none, { value: chosen, label: chosen }, ...fields];
}

/** Renders a question about the meaning of each value in a choice list. */
function MarkMeanings(props: { values: MarkFieldValues; contacts: Setup['answers']['contacts'] }) {
  const { values, contacts } = props;
  const { kind, field, of } = values;
  return (
    <fieldset class="meanings">
      <legend>
        The values of {field}, in the first {describeCount(of, 'contact')}
      </legend>
      <input type="hidden" name={`valuesOf.${kind}`} value={field} />
      {values.values.map(({ value, count }, at) => {
        const id = `means-${kind}-${at}`;
        const said = saidMeaning(values, contacts, value);
        return (
          <div class="field">
            <label for={id}>
              “{value}” ({formatCount(count)})
            </label>
            <select id={id} name={`means.${kind}`}>
              {MEANINGS[kind].map(([meaning, label]) => (
                <option
                  value={JSON.stringify([meaning, value])}
                  selected={meaning === (said ?? '')}
                >
                  {label}
                </option>
              ))}
            </select>
          </div>
        );
      })}
      <p class="hint">
        Until you choose the meaning of a value, contacts with this value are not sent.
      </p>
    </fieldset>
  );
}

const MEANINGS = {
  optOut: [
    ['', '— choose what it means —'],
    ['marked', 'opted out'],
    ['unmarked', 'may be researched'],
  ],
  deceased: [
    ['', '— choose what it means —'],
    ['marked', 'deceased'],
    ['unmarked', 'living'],
  ],
  doNotContact: [
    ['', '— choose what it means —'],
    ['marked', 'do not contact'],
    ['unmarked', 'may be contacted'],
  ],
} as const satisfies Record<MarkKind, readonly (readonly [string, string])[]>;

function People({ look, isFile }: { look: PeoplePreview | null; isFile: boolean }) {
  if (look === null) {
    return (
      <p class="empty">
        {isFile ? 'Choose the columns for the ID and the names to see some contacts here.' : ''}
      </p>
    );
  }
  const { persons, read, sendable, hasMore, left } = look;
  if (look.isUnsaid) {
    return (
      <p class="note">
        Choose the meaning of each value in the list above. Your contacts will then appear here.
      </p>
    );
  }
  return (
    <>
      <h2>As they would be sent</h2>
      <p class="quiet">
        <strong>
          {hasMore ? 'More than ' : ''}
          {describeCount(read, 'contact')}
        </strong>
        {', '}
        {formatCount(sendable)} can be sent
        {Object.entries(left).map(
          ([reason, count]) => `; ${formatCount(count)} excluded: ${outcomeText(reason)}`,
        )}
        . Names are read only for this page and are not stored.
      </p>
      <SampledPersons persons={persons} />
    </>
  );
}

function nameChoices(names: readonly string[]) {
  return names.map((name) => ({ value: name, label: name }));
}

function fieldChoices(fields: readonly CrmField[]) {
  return fields
    .map(({ name, label }) => ({
      value: name,
      label: label === name ? name : `${label} (${name})`,
    }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function getColumns(crm: Setup['answers']['crm']): Readonly<Record<string, unknown>> {
  const columns = crm?.['columns'];
  return typeof columns === 'object' && columns !== null ? { ...columns } : {};
}

function chosenColumns(
  crm: Setup['answers']['crm'],
  contacts: Setup['answers']['contacts'],
): ChosenColumns {
  const columns = getColumns(crm);
  const named = (part: string) => toText(columns[part]) || null;
  return {
    id: named('id'),
    firstName: named('firstName'),
    lastName: named('lastName'),
    fullName: named('fullName'),
    addresses: toTexts(columns['addresses']),
    employers: toTexts(columns['employers']),
    optOut: contacts.optOutField,
    deceased: contacts.deceasedField ?? null,
    doNotContact: contacts.doNotContactField ?? null,
  };
}

/**
 * Renders every column of the file with an example, even unused columns. Users can then notice a column that the
 * mapping lacks.
 */
function AllColumns({ lines }: { lines: readonly ColumnLine[] }) {
  const unused = lines.filter(({ use }) => use === null).length;
  return (
    <details>
      <summary>
        All {describeCount(lines.length, 'column')} of the file, {formatCount(unused)} of them not
        used
      </summary>
      <table class="stacks">
        <TableHead texts={['Column', 'Read as', 'Example']} />
        <tbody>
          {lines.map(({ name, use, example, shape }) => (
            <tr>
              <th scope="row">{name || '(no name)'}</th>
              <TableCell label="Read as">{use ?? 'not used'}</TableCell>
              <TableCell label="Example">{example ?? shape}</TableCell>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Columns({ crm, names }: { crm: Setup['answers']['crm']; names: readonly string[] }) {
  const columns = getColumns(crm);
  const choices = [NONE, ...nameChoices(names)];
  const isWhole = toText(columns['fullName']) !== '';
  const missing = missingParts({
    addresses: toTexts(columns['addresses']),
    employers: toTexts(columns['employers']),
  });
  return (
    <>
      {missing.map(({ part, price }) => (
        <p class="note">
          {part === 'address' ? 'No address' : 'No employer'} is chosen: {price}.
        </p>
      ))}
      <div class="grid">
        <Choice
          name="id"
          label={QUESTIONS.idColumn.label}
          hint={QUESTIONS.idColumn.hint}
          value={toText(columns['id'])}
          options={choices}
        />
        <Choice
          name="names"
          label={QUESTIONS.nameForm.label}
          value={isWhole ? 'whole' : 'two'}
          options={findOptions(QUESTIONS.nameForm, ['two', 'whole'])}
        />
        <Choice
          name="firstName"
          label={QUESTIONS.firstName.label}
          value={toText(columns['firstName'])}
          options={choices}
        />
        <Choice
          name="lastName"
          label={QUESTIONS.lastName.label}
          value={toText(columns['lastName'])}
          options={choices}
        />
        <Choice
          name="fullName"
          label={QUESTIONS.fullName.label}
          value={toText(columns['fullName'])}
          options={choices}
        />
        <Choice
          name="badRows"
          label={QUESTIONS.badRows.label}
          value={toText(crm?.['badRows']) || 'stop'}
          options={findOptions(QUESTIONS.badRows, ['stop', 'skip'])}
        />
      </div>
      <Ticks
        name="addresses"
        legend={QUESTIONS.addresses.label}
        hint={QUESTIONS.addresses.hint}
        chosen={toTexts(columns['addresses'])}
        options={names}
      />
      <Ticks
        name="employers"
        legend={QUESTIONS.employers.label}
        chosen={toTexts(columns['employers'])}
        options={names}
      />
    </>
  );
}

function CrmPeople(props: { crm: Setup['answers']['crm']; filter: string | null }) {
  const { crm, filter } = props;
  const { employers = [], filterExample = '' } = findRemoteCrm(crm?.kind)?.setup ?? {};
  return (
    <div class="grid">
      {employers.length > 0 && (
        <Choice
          name="employer"
          label="Employer"
          value={toText(crm?.['employer']) || (employers[0]?.value ?? '')}
          options={employers}
        />
      )}
      <Field
        name="filter"
        label="Only contacts that match"
        value={filter}
        placeholder={filterExample}
        hint="In the CRM’s own filter language; empty for all."
      />
    </div>
  );
}
