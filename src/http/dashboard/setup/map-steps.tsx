import { missingParts } from '../../../../connectors/missing-parts.ts';
import type { Setup } from '../../../application/setup/draft.ts';
import type { PeopleLook } from '../../../application/setup/look.ts';
import type { Settings } from '../../../config.ts';
import type { CrmField } from '../../../core/crm-field.ts';
import { FIELD_SOURCES, type WriteRule } from '../../../core/field-map.ts';
import { outcomeText } from '../../../core/outcome.ts';
import { countOf, formatCount } from '../../../core/quantities.ts';
import { fieldSpecFor } from '../../../mapping/field-specs.ts';
import { Cell, Heads, Mark, Zone } from '../frame/parts.tsx';
import { RHYTHMS } from './forms.ts';
import { Choice, Field, Onward, Ticks } from './parts.tsx';
import { SampledPersons } from './persons.tsx';
import type { StepView } from './steps.ts';

const NONE = { value: '', label: '— none —' };

export function PeopleStep({ setup, view }: { setup: Setup; view: StepView['people'] }) {
  const { header, look } = view;
  const { crm, contacts } = setup.answers;
  const names = header?.columns ?? [];
  const fields = header === null ? fieldChoices(look?.fields ?? []) : nameChoices(names);
  const withPresent = (value: string | null) =>
    value === null || fields.some((one) => one.value === value)
      ? [NONE, ...fields]
      : [NONE, { value, label: value }, ...fields];
  return (
    <form class="stack" method="post" action={`/setup/${setup.id}/people`} data-look>
      <input type="hidden" name="version" value={String(setup.version)} />
      {header === null ? (
        <CrmPeople crm={crm} filter={contacts.filter} />
      ) : (
        <Columns crm={crm} names={names} />
      )}
      <div class="grid">
        <Choice
          name="optOut"
          label="Marks who must not be researched"
          value={contacts.optOutField ?? ''}
          options={withPresent(contacts.optOutField)}
        />
        <Choice
          name="deceased"
          label="Marks who has died"
          value={contacts.deceasedField ?? ''}
          options={withPresent(contacts.deceasedField)}
        />
        <Choice
          name="doNotContact"
          label="Marks who wants no contact"
          value={contacts.doNotContactField ?? ''}
          options={withPresent(contacts.doNotContactField)}
        />
      </div>
      <div id="look" data-part aria-live="polite">
        <People look={look} isFile={header !== null} />
      </div>
      <Onward back={`/setup/${setup.id}/key`}>
        <button type="submit" class="button" name="do" value="look">
          Show who is sent
        </button>
      </Onward>
    </form>
  );
}

function People({ look, isFile }: { look: PeopleLook | null; isFile: boolean }) {
  if (look === null) {
    return (
      <p class="empty">
        {isFile
          ? 'Choose the columns of the id and of the names; then persons are shown here.'
          : ''}
      </p>
    );
  }
  const { persons, read, sendable, hasMore, left } = look;
  return (
    <>
      <h2>As they would be sent</h2>
      <p class="quiet">
        <strong>
          {hasMore ? 'More than ' : ''}
          {countOf(read, 'contact')}
        </strong>
        {', '}
        {formatCount(sendable)} can be sent
        {Object.entries(left).map(
          ([reason, count]) => `; ${formatCount(count)} left out: ${outcomeText(reason)}`,
        )}
        . Names are read for this page alone and kept nowhere.
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

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function columnsOf(crm: Setup['answers']['crm']): Readonly<Record<string, unknown>> {
  const columns = crm?.['columns'];
  return typeof columns === 'object' && columns !== null ? { ...columns } : {};
}

function Columns({ crm, names }: { crm: Setup['answers']['crm']; names: readonly string[] }) {
  const columns = columnsOf(crm);
  const choices = [NONE, ...nameChoices(names)];
  const isWhole = textOf(columns['fullName']) !== '';
  const missing = missingParts({
    addresses: textsOf(columns['addresses']),
    employers: textsOf(columns['employers']),
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
          label="Id of a contact"
          hint="Never changes, and no two contacts share it."
          value={textOf(columns['id'])}
          options={choices}
        />
        <Choice
          name="names"
          label="Names stand in"
          value={isWhole ? 'whole' : 'two'}
          options={[
            { value: 'two', label: 'two columns' },
            { value: 'whole', label: 'one column: “Last, First” or “First Last”' },
          ]}
        />
        <Choice
          name="firstName"
          label="First name"
          value={textOf(columns['firstName'])}
          options={choices}
        />
        <Choice
          name="lastName"
          label="Last name"
          value={textOf(columns['lastName'])}
          options={choices}
        />
        <Choice
          name="fullName"
          label="Whole name, if one column"
          value={textOf(columns['fullName'])}
          options={choices}
        />
        <Choice
          name="badRows"
          label="A row that cannot be read"
          value={textOf(crm?.['badRows']) || 'stop'}
          options={[
            { value: 'stop', label: 'stops everything' },
            { value: 'skip', label: 'is left out' },
          ]}
        />
      </div>
      <Ticks
        name="addresses"
        legend="Address"
        hint="All parts of one address, from the street to the country."
        chosen={textsOf(columns['addresses'])}
        options={names}
      />
      <Ticks
        name="employers"
        legend="Employer"
        chosen={textsOf(columns['employers'])}
        options={names}
      />
    </>
  );
}

const EMPLOYERS: Readonly<Record<string, readonly { value: string; label: string }[]>> = {
  salesforce: [
    { value: 'auto', label: 'as the org’s own model suggests' },
    { value: 'account', label: 'the account' },
    { value: 'primaryAffiliation', label: 'the primary affiliation' },
  ],
  hubspot: [
    { value: 'both', label: 'the company text and the primary company' },
    { value: 'company', label: 'the text “Company name”' },
    { value: 'associated', label: 'the primary company' },
  ],
};

const FILTER_EXAMPLES: Readonly<Record<string, string>> = {
  salesforce: "MailingCountry = 'United States'",
  hubspot: 'lifecyclestage = customer',
};

function CrmPeople(props: { crm: Setup['answers']['crm']; filter: string | null }) {
  const { crm, filter } = props;
  const kind = crm?.kind ?? '';
  const employers = EMPLOYERS[kind] ?? [];
  return (
    <div class="grid">
      {employers.length > 0 && (
        <Choice
          name="employer"
          label="Employer"
          value={textOf(crm?.['employer']) || (employers[0]?.value ?? '')}
          options={employers}
        />
      )}
      <Field
        name="filter"
        label="Only contacts that meet this"
        value={filter}
        placeholder={FILTER_EXAMPLES[kind] ?? ''}
        hint="In the CRM’s own filter language; empty for all."
      />
    </div>
  );
}

const RULES: readonly { value: WriteRule; label: string }[] = [
  { value: 'unlessEdited', label: 'unless a person has edited it' },
  { value: 'ifEmpty', label: 'only into an empty field' },
  { value: 'always', label: 'always' },
];

export function FieldsStep({ setup, view }: { setup: Setup; view: StepView['fields'] }) {
  const { look, mappings, names } = view;
  const byFrom = new Map(mappings.map((line) => [line.from, line]));
  const examples = new Map(look?.examples.map((example) => [example.field, example]));
  const findings = new Map(look?.findings.map((finding) => [finding.field, finding]));
  const lacks = look !== null && !look.isFile && look.missing.length > 0;
  return (
    <form class="stack" method="post" action={`/setup/${setup.id}/fields`} data-look>
      <input type="hidden" name="version" value={String(setup.version)} />
      <p class="quiet">
        Each value goes into a field of its own. The example is one of your contacts, and the
        profile of an invented person. An empty box: the value is not written.
      </p>
      <datalist id="crm-fields">
        {[...new Set([...names.values(), ...(look?.fields ?? []).flatMap(writable)])].map(
          (name) => (
            <option value={name}></option>
          ),
        )}
      </datalist>
      <div>
        <div id="missing" data-part aria-live="polite">
          {look !== null && <MissingFields look={look} />}
        </div>
        <table class="stacks map">
          <Heads texts={['Value', 'Field of the CRM', 'It is written', 'Example: now → then']} />
          <tbody>
            {FIELD_SOURCES.map((from) => {
              const line = byFrom.get(from);
              const { label, description } = fieldSpecFor(from, '');
              const to = line?.to ?? '';
              const finding = findings.get(to);
              return (
                <tr>
                  <th scope="row" title={description}>
                    {label}
                  </th>
                  <Cell label="Field of the CRM">
                    <input
                      name={`to.${from}`}
                      value={to}
                      list="crm-fields"
                      autocomplete="off"
                      placeholder={names.get(from) ?? ''}
                      aria-label={`Field for ${label}`}
                    />
                    <div id={`hint-${from}`} data-part>
                      {lacks && look.missing.includes(to) && <p class="hint">not there yet</p>}
                      {finding !== undefined && to !== '' && (
                        <p class="hint bad">
                          {finding.message} {finding.fix}
                        </p>
                      )}
                    </div>
                  </Cell>
                  <Cell label="It is written">
                    <select name={`when.${from}`} aria-label={`When ${label} is written`}>
                      {RULES.map(({ value, label: text }) => (
                        <option value={value} selected={value === (line?.when ?? 'unlessEdited')}>
                          {text}
                        </option>
                      ))}
                    </select>
                  </Cell>
                  <Cell label="Example: now → then">
                    <div id={`example-${from}`} data-part>
                      <Example example={examples.get(to)} />
                    </div>
                  </Cell>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <Onward
        back={`/setup/${setup.id}/people`}
        {...(lacks ? { label: 'Go on without them', isQuiet: true } : {})}
      >
        <button type="submit" class="button" name="do" value="look">
          Show the examples
        </button>
      </Onward>
    </form>
  );
}

function writable({ name, writable: isWritable }: CrmField): string[] {
  return isWritable ? [name] : [];
}

type Look = NonNullable<StepView['fields']['look']>;

function MissingFields({ look }: { look: Look }) {
  const { missing, createsFields, isFile } = look;
  if (missing.length === 0) return null;
  if (isFile) {
    return (
      <p class="note">
        {countOf(missing.length, 'column')} of these are new: the file of the results gets them.
      </p>
    );
  }
  return (
    <div class="trouble trouble-attention">
      <Mark kind="attention" />
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

function Example({ example }: { example: Look['examples'][number] | undefined }) {
  if (example === undefined) return <span class="quiet">—</span>;
  const { before, after, why } = example;
  return (
    <span class="example">
      <span class={before === null ? 'quiet' : ''}>{shown(before)}</span> →{' '}
      {after === null ? <span class="quiet">{why}</span> : <strong>{shown(after)}</strong>}
    </span>
  );
}

const LONGEST_SHOWN = 60;

function shown(value: string | number | boolean | null): string {
  if (value === null) return 'empty';
  const text = typeof value === 'number' ? formatCount(value) : String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** More groups than these are no choice; the search of the browser finds one among them. */
const MOST_GROUPS = 300;

export function NetworksStep({ setup, view }: { setup: Setup; view: StepView['networks'] }) {
  const { networks } = setup.answers;
  const chosen = new Map(networks.map((one) => [JSON.stringify(one.group), one.name]));
  const offered = (view.groups ?? []).map(({ selector, name, memberCount }) => ({
    key: JSON.stringify(selector),
    name,
    memberCount,
  }));
  const others = networks.flatMap(({ group, name }) => {
    const key = JSON.stringify(group);
    return offered.some((one) => one.key === key) ? [] : [{ key, name, memberCount: null }];
  });
  const all = [...others, ...offered].slice(0, MOST_GROUPS);
  return (
    <form class="stack" method="post" action={`/setup/${setup.id}/networks`}>
      <input type="hidden" name="version" value={String(setup.version)} />
      <p class="quiet">
        A group of people who know others – the board, the staff – becomes a network, and each
        contact gets a sentence that says who in it can introduce them. A member costs a credit for
        networks. You can leave this for later.
      </p>
      {all.length === 0 ? (
        <p class="empty">
          {view.groups === null ? '' : 'There is no group that could become a network.'}
        </p>
      ) : (
        <table class="stacks">
          <Heads texts={['Group', 'Name of the network']} counts={['Members']} />
          <tbody>
            {all.map(({ key, name, memberCount }) => (
              <tr>
                <th scope="row">
                  <label class="tick">
                    <input type="checkbox" name="group" value={key} checked={chosen.has(key)} />
                    <span>{name}</span>
                  </label>
                </th>
                <Cell label="Name of the network">
                  <input
                    name={`name:${key}`}
                    value={chosen.get(key) ?? name}
                    aria-label={`Name of the network of ${name}`}
                  />
                </Cell>
                <td class="number" data-label="Members">
                  {memberCount === null ? '?' : formatCount(memberCount)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Onward
        back={`/setup/${setup.id}/fields`}
        label={networks.length === 0 ? 'Go on' : 'Save and go on'}
      />
    </form>
  );
}

export function ScheduleStep(props: {
  setup: Setup;
  view: StepView['schedule'];
  alerts: Settings['alerts'];
}) {
  const { setup, view, alerts } = props;
  const { budget, schedule, alerts: own } = setup.answers;
  const { rhythm, hour } = rhythmOf(schedule?.cron ?? null, setup.done.includes('schedule'));
  const timezone = schedule?.timezone ?? '';
  return (
    <form class="stack" method="post" action={`/setup/${setup.id}/schedule`} data-look>
      <input type="hidden" name="version" value={String(setup.version)} />
      <div class="grid">
        <Field
          name="perMonth"
          label="Credits a month, at most"
          value={budget.perMonth === null ? null : String(budget.perMonth)}
          inputmode="numeric"
          hint="A contact costs one. Empty for no limit."
        />
        <Field
          name="perRun"
          label="Credits a run, at most"
          value={budget.perRun === null ? null : String(budget.perRun)}
          inputmode="numeric"
          hint="Empty for no limit."
        />
      </div>
      <div class="grid">
        <Choice
          name="rhythm"
          label="It runs"
          value={rhythm}
          options={[
            ...Object.entries(RHYTHMS).map(([value, { label }]) => ({ value, label })),
            { value: 'cron', label: 'by a line of cron' },
            { value: 'none', label: 'only when asked' },
          ]}
        />
        <Field
          name="hour"
          label="At which hour (0 to 23)"
          value={String(hour)}
          inputmode="numeric"
        />
        <Field
          name="timezone"
          label="Time zone of the client"
          value={timezone}
          placeholder="America/Chicago"
          list="zones"
          hint="A city that keeps the same time."
        />
        <Field
          name="cron"
          label="Line of cron"
          value={schedule?.cron ?? null}
          hint="Only if chosen above."
        />
      </div>
      <datalist id="zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option value={zone}></option>
        ))}
      </datalist>
      <div id="look" data-part aria-live="polite">
        <NextRuns times={view.next} timezone={timezone || 'UTC'} />
      </div>
      <section class="stack" aria-labelledby="alerts-title">
        <h2 id="alerts-title">Alerts</h2>
        <p class="quiet">
          One message when this client needs a person – a run failed, credits are low, something is
          held – and one when it is well again. {alertsText(alerts)}
        </p>
        <Field
          name="alertsUrl"
          label={own === undefined ? 'Webhook of a chat' : 'Another webhook of a chat'}
          type="password"
          placeholder="https://…"
          hint={
            own === undefined
              ? 'The address of an incoming webhook of Slack, Teams or Mattermost. It is kept encrypted, and no page shows it again.'
              : 'Its address is kept. Leave this empty, unless it changes.'
          }
        />
        {own !== undefined && (
          <label class="tick">
            <input type="checkbox" name="alertsOff" value="yes" />
            <span>No alerts of its own any more</span>
          </label>
        )}
      </section>
      <Onward back={`/setup/${setup.id}/networks`}>
        <button type="submit" class="button" name="do" value="look">
          Show the next runs
        </button>
        <button type="submit" class="button" name="do" value="test">
          Save and send a test
        </button>
      </Onward>
    </form>
  );
}

const USUAL_HOUR = 2;

function rhythmOf(cron: string | null, isAnswered: boolean): { rhythm: string; hour: number } {
  if (cron === null) return { rhythm: isAnswered ? 'none' : 'nightly', hour: USUAL_HOUR };
  const hour = Number(/^0 (\d{1,2}) /.exec(cron)?.[1] ?? USUAL_HOUR);
  const found = Object.entries(RHYTHMS).find(
    ([, one]) => one.cron.replace('H', String(hour)) === cron,
  );
  return { rhythm: found?.[0] ?? 'cron', hour };
}

function NextRuns({ times, timezone }: { times: readonly number[]; timezone: string }) {
  if (times.length === 0) return <p class="empty">No run begins by itself.</p>;
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ weekday: 'long', day: 'numeric', month: 'long', hour: 'numeric', minute: '2-digit' },
    timeZone: timezone,
  });
  return (
    <>
      <h2>The next runs</h2>
      <ol class="next-runs">
        {times.map((time) => (
          <li>
            {format.format(time)}{' '}
            <span class="quiet">
              (<Zone name={timezone} />)
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function alertsText({ email, webhook }: Settings['alerts']): string {
  if (email === null && webhook === null) {
    return 'For all clients together none are sent: who looks after this machine names a mail address or a webhook in donor-sync.yaml.';
  }
  const ways = [email && `e-mail to ${email.to.join(', ')}`, webhook && 'a webhook'];
  return `For all clients together they go by ${ways.filter(Boolean).join(' and ')}.`;
}
