import type { Setup } from '../../../clients/setup/draft.ts';
import { RENAMED } from '../../../clients/setup/own-columns.ts';
import type { CrmField } from '../../../core/crm-field.ts';
import {
  FIELD_SOURCES,
  type FieldMapping,
  type FieldSource,
  type WriteRule,
} from '../../../core/field-map.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import { fieldSpecFor } from '../../../mapping/field-specs.ts';
import { Icon, TableCell, TableHead } from '../frame/parts.tsx';
import { FormButtons } from './parts.tsx';
import type { StepView } from './steps.ts';

const RULES: readonly { value: WriteRule; label: string }[] = [
  { value: 'unlessEdited', label: 'unless a user has edited it' },
  { value: 'ifEmpty', label: 'only into an empty field' },
  { value: 'always', label: 'always' },
];

/**
 * Lists the fields with a different name. donor-sync chose a different name because a column of the file already has
 * the usual name.
 */
function RenamedFields({ mappings }: Pick<StepView['fields'], 'mappings'>) {
  const renamed = mappings.filter(({ to }) => to.endsWith(RENAMED));
  if (renamed.length === 0) return null;
  return (
    <p class="note">
      Your file has its own columns{' '}
      {renamed.map(({ to }) => `“${to.slice(0, -RENAMED.length)}”`).join(', ')}, which stay as they
      are. donor-sync's columns are called {renamed.map(({ to }) => `“${to}”`).join(', ')}.
    </p>
  );
}

export function FieldsStep(props: {
  setup: Setup;
  view: StepView['fields'];
  /** True if donor-sync refused the typed fields. Any field may be the reason. */
  hasProblem: boolean;
}) {
  const { setup, view, hasProblem } = props;
  const { look, mappings, names } = view;
  const byFrom = new Map(mappings.map((line) => [line.from, line]));
  const examples = new Map(look?.examples.map((example) => [example.field, example]));
  const findings = new Map(look?.findings.map((finding) => [finding.field, finding]));
  const lacks = look !== null && !look.isFile && look.missing.length > 0;
  const lines: FieldLines = {
    byFrom,
    examples,
    findings,
    names,
    missing: lacks ? look.missing : [],
  };
  const rest = FIELD_SOURCES.filter((from) => !FIRST.includes(from));
  const fieldOf = (from: FieldSource) => byFrom.get(from)?.to ?? '';
  const isWritten = (from: FieldSource) => fieldOf(from) !== '';
  const needsLook = (from: FieldSource) => isWritten(from) && findings.has(fieldOf(from));
  return (
    <form class="stack" method="post" action={`/setup/${setup.id}/fields`} data-look>
      <input type="hidden" name="version" value={String(setup.version)} />
      <p class="quiet">
        Each value is written to a separate field. The example combines one of your contacts with
        the profile of a fictional person. If a box is empty, the value is not written.
      </p>
      <RenamedFields mappings={mappings} />
      <datalist id="crm-fields">
        {listFields(names, look?.fields ?? []).map(({ name, label }) => (
          <option value={name}>{label}</option>
        ))}
      </datalist>
      <div>
        <div id="missing" data-part aria-live="polite">
          {look !== null && <MissingFields look={look} />}
        </div>
        <FieldTable sources={FIRST} lines={lines} />
        <details class="more-fields" open={hasProblem || rest.some(needsLook)}>
          <summary>
            {describeCount(rest.length, 'more value')} ({formatCount(rest.filter(isWritten).length)}{' '}
            written)
          </summary>
          <FieldTable sources={rest} lines={lines} />
        </details>
      </div>
      <FormButtons
        back={`/setup/${setup.id}/people`}
        {...(lacks ? { label: 'Continue without them', isQuiet: true } : {})}
      >
        <button type="submit" class="button" name="do" value="look">
          Show the examples
        </button>
      </FormButtons>
    </form>
  );
}

/** The values that most clients use. Fields for other values are folded on the page. */
const FIRST: readonly FieldSource[] = [
  'capacity.nonprofit',
  'netWorth.label',
  'work.primary',
  'education.primary',
  'age',
  'warmPath.sentence',
  'warmPath.introducer',
  'profileUrl',
  'enhancedAt',
];

interface FieldLines {
  byFrom: ReadonlyMap<FieldSource, FieldMapping>;
  examples: ReadonlyMap<string, FieldsShown['examples'][number]>;
  findings: ReadonlyMap<string, FieldsShown['findings'][number]>;
  names: StepView['fields']['names'];
  /** The fields that do not exist in the CRM yet. */
  missing: readonly string[];
}

function FieldTable({ sources, lines }: { sources: readonly FieldSource[]; lines: FieldLines }) {
  const { byFrom, examples, findings, names, missing } = lines;
  return (
    <table class="stacks map">
      <TableHead texts={['Value', 'CRM field', 'It is written', 'Example: now → then']} />
      <tbody>
        {sources.map((from) => {
          const line = byFrom.get(from);
          const { label, description } = fieldSpecFor(from, '');
          const to = line?.to ?? '';
          const finding = findings.get(to);
          return (
            <tr>
              <th scope="row" title={description}>
                {label}
              </th>
              <TableCell label="CRM field">
                <input
                  name={`to.${from}`}
                  value={to}
                  list="crm-fields"
                  data-values
                  autocomplete="off"
                  placeholder={names.get(from) ?? ''}
                  aria-label={`Field for ${label}`}
                />
                <div id={`hint-${from}`} data-part>
                  {missing.includes(to) && <p class="hint">does not exist yet</p>}
                  {finding !== undefined && to !== '' && (
                    <p class="hint bad">
                      {finding.message} {finding.fix}
                    </p>
                  )}
                </div>
              </TableCell>
              <TableCell label="It is written">
                <select name={`when.${from}`} aria-label={`When ${label} is written`}>
                  {RULES.map(({ value, label: text }) => (
                    <option value={value} selected={value === (line?.when ?? 'unlessEdited')}>
                      {text}
                    </option>
                  ))}
                </select>
              </TableCell>
              <TableCell label="Example: now → then">
                <div id={`example-${from}`} data-part>
                  <Example example={examples.get(to)} />
                </div>
              </TableCell>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/**
 * Returns the fields that the user can choose, with their labels. The list contains donor-sync's own fields and the
 * CRM's writable fields.
 */
function listFields(
  names: StepView['fields']['names'],
  fields: readonly CrmField[],
): Pick<CrmField, 'name' | 'label'>[] {
  const labels = new Map([...names.values()].map((name) => [name, name]));
  for (const { name, label, writable } of fields) if (writable) labels.set(name, label);
  return [...labels].map(([name, label]) => ({ name, label }));
}

type FieldsShown = NonNullable<StepView['fields']['look']>;

function MissingFields({ look }: { look: FieldsShown }) {
  const { missing, createsFields, isFile } = look;
  if (missing.length === 0) return null;
  if (isFile) {
    return (
      <p class="note">
        {describeCount(missing.length, 'column')} of these are new and are added to the results
        file.
      </p>
    );
  }
  return (
    <div class="trouble trouble-attention">
      <Icon kind="attention" />
      <div>
        <p>
          {missing.length === 1 ? 'One field is' : `${missing.length} fields are`} not in the CRM
          yet: <span class="quiet">{missing.join(', ')}</span>
        </p>
        {createsFields && (
          <p class="actions">
            <button type="submit" class="button primary" name="do" value="create">
              Create {missing.length === 1 ? 'it' : 'them'} in the CRM
            </button>
          </p>
        )}
      </div>
    </div>
  );
}

function Example({ example }: { example: FieldsShown['examples'][number] | undefined }) {
  if (example === undefined) return <span class="quiet">—</span>;
  const { before, after, why } = example;
  return (
    <span class="example">
      <span class={before === null ? 'quiet' : ''}>{shown(before)}</span> →{' '}
      {after === null ? <span class="quiet">{why}</span> : <strong>{shown(after)}</strong>}
    </span>
  );
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Formats a time for users. The CRM receives the time in ISO format. Returns any other text unchanged. */
function readableTime(text: string): string {
  if (!ISO_TIME.test(text)) return text;
  const format = new Intl.DateTimeFormat('en-US', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return `${format.format(new Date(text))} UTC`;
}

const LONGEST_SHOWN = 60;

function shown(value: string | number | boolean | null): string {
  if (value === null) return 'empty';
  const text = typeof value === 'number' ? formatCount(value) : readableTime(String(value));
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
