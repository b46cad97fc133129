import { getBatchWords } from '../../../core/questions/question-kinds.ts';
import { nameText } from '../../../decisions/contact-name.ts';
import type { HoldEvidence, ShownContact, ShownProfile } from '../../../decisions/evidence.ts';
import type { QueueQuery } from '../../../decisions/views/decision-queue.ts';
import { compareNames, type NamePiece } from '../../../decisions/views/name-difference.ts';
import type { Choice } from '../../../decisions/views/question.ts';
import type { Match } from '../../../partner/results.ts';
import { contactHref } from '../contacts/contact-href.ts';
import { may, type Viewer } from '../frame/layout.tsx';
import {
  ConfirmDialog,
  ContactId,
  Icon,
  TableCell,
  TableHead,
  Timestamp,
} from '../frame/parts.tsx';
import { type OpenBatch, type OpenDecision, queueWords } from './read-page.ts';

export function OpenPanel(props: { open: OpenDecision; query: QueueQuery; viewer: Viewer }) {
  const { open, query, viewer } = props;
  const { item, url, evidence, batch, choices, previous, next } = open;
  return (
    <section class="card open" aria-labelledby="open-title">
      <div class="card-head">
        <div>
          <h2 id="open-title" tabindex={-1}>
            {item.name}
          </h2>
          <p class="quiet">
            {item.about === 'contact' ? (
              <ContactId
                id={item.subject}
                url={url}
                href={may(viewer, 'reader') ? contactHref(item.integration.id, item.subject) : null}
                client={item.integration.id}
              />
            ) : (
              item.subject
            )}{' '}
            of {item.integration.name} · held <Timestamp at={item.since} now={viewer.now} />
          </p>
        </div>
        <nav class="row" aria-label="Neighbours">
          <Step href={previous} text="Previous" keyName="K" />
          <Step href={next} text="Next" keyName="J" />
        </nav>
      </div>
      <p class="why">{item.why}</p>
      {evidence !== null && <Evidence evidence={evidence} />}
      {batch !== null && <Examples batch={batch} integration={item.integration.id} />}
      {may(viewer, 'decider') ? (
        <>
          {batch === null ? (
            <Choices id={item.id} choices={choices} query={query} />
          ) : (
            <BatchChoices id={item.id} batch={batch} query={query} />
          )}
          {batch === null && choices.length === 0 && (
            <p class="empty">This has already been decided.</p>
          )}
        </>
      ) : (
        <p class="quiet">
          {may(viewer, 'reader')
            ? 'A user with the role decider can answer this.'
            : 'A user with the role decider can see the names here and answer this.'}
        </p>
      )}
    </section>
  );
}

function Step({ href, text, keyName }: { href: string | null; text: string; keyName: string }) {
  if (href === null) return null;
  return (
    <a
      class="button small"
      href={href}
      data-key={keyName.toLowerCase()}
      aria-keyshortcuts={keyName}
    >
      {text}
    </a>
  );
}

const KEYS: Readonly<Record<Choice['decision'], string>> = {
  approve: 'A',
  reject: 'R',
  resubmit: 'N',
};

function Choices(props: { id: string; choices: readonly Choice[]; query: QueueQuery }) {
  const { id, choices, query } = props;
  return (
    <div class="choices">
      {choices.map(({ decision, label, effect }, index) => (
        <form
          key={decision}
          method="post"
          action={`/decisions/${id}/${decision}${queueWords(query)}`}
          class="choice"
        >
          <button
            type="submit"
            class={index === 0 ? 'button primary' : 'button'}
            data-key={KEYS[decision].toLowerCase()}
            aria-keyshortcuts={KEYS[decision]}
          >
            {label}
          </button>
          <span class="quiet">{effect}</span>
        </form>
      ))}
    </div>
  );
}

/** Shows the evidence of a hold. The evidence is read for this response and is not stored. */
function Evidence({ evidence }: { evidence: HoldEvidence }) {
  const { contact, profile, match, result, problems } = evidence;
  return (
    <>
      {contact !== null && profile !== null ? (
        <TwoNames contact={contact} profile={profile} />
      ) : (
        <OneName contact={contact} profile={profile} />
      )}
      {(contact !== null || profile !== null) && <Facts contact={contact} profile={profile} />}
      {match !== null && <MatchFacts match={match} />}
      {result === 'gone' && (
        <div class="trouble trouble-attention">
          <Icon kind="attention" />
          <p>
            The service no longer has the profile, because it only keeps results for a few days. You
            can reject it, or pay 1 credit to ask the service again.
          </p>
        </div>
      )}
      {problems.length > 0 && result !== 'gone' && (
        <div class="trouble trouble-attention">
          <Icon kind="attention" />
          <p>Not everything can be shown: {problemsText(problems)} You can decide anyway.</p>
        </div>
      )}
      {problems.length > 0 && result === 'gone' && contact === null && (
        <p class="quiet">{problemsText(problems)}</p>
      )}
    </>
  );
}

function problemsText(problems: readonly string[]): string {
  const text = problems.join('; ');
  return text.endsWith('.') ? text : `${text}.`;
}

function TwoNames({ contact, profile }: { contact: ShownContact; profile: ShownProfile }) {
  const { ours, theirs, words } = compareNames(
    { first: contact.firstName, last: contact.lastName },
    profile.name,
  );
  return (
    <div class="names">
      <Name label="In your CRM" pieces={ours} />
      <Name label="In the profile" pieces={theirs} />
      <p class="names-words">{words}</p>
    </div>
  );
}

function OneName(props: { contact: ShownContact | null; profile: ShownProfile | null }) {
  const { contact, profile } = props;
  if (contact === null && profile === null) return null;
  const text = contact
    ? nameText([contact.firstName, contact.lastName])
    : nameText([
        profile?.name.first ?? null,
        profile?.name.middle ?? null,
        profile?.name.last ?? null,
      ]);
  return (
    <div class="names">
      <Name
        label={contact ? 'In your CRM' : 'In the profile'}
        pieces={[{ text, differs: false }]}
      />
    </div>
  );
}

function Name({ label, pieces }: { label: string; pieces: readonly NamePiece[] }) {
  return (
    <div class="name">
      <span class="name-label">{label}</span>
      <span class="name-text">
        {pieces.length === 0
          ? '(no name)'
          : pieces.map(({ text, differs }) => (differs ? <mark>{text}</mark> : text))}
      </span>
    </div>
  );
}

function Facts(props: { contact: ShownContact | null; profile: ShownProfile | null }) {
  const { contact, profile } = props;
  return (
    <table class="stacks evidence">
      <caption class="hidden">The details in the CRM and in the profile</caption>
      <TableHead texts={[<span class="hidden">What</span>, 'In your CRM', 'In the profile']} />
      <tbody>
        <Row name="Age" ours={null} theirs={profile && ageText(profile)} />
        <Row
          name="Address"
          ours={contact?.addresses ?? null}
          theirs={null}
          absent="a profile has none"
        />
        <Row
          name="Employer, work"
          ours={contact?.employers ?? null}
          theirs={profile?.work ?? null}
        />
        <Row name="Education" ours={null} theirs={profile?.education ?? null} />
      </tbody>
    </table>
  );
}

function ageText({ age, isDeceased }: ShownProfile): string[] {
  if (isDeceased) return [age === null ? 'has died' : `${age}, and has died`];
  return age === null ? [] : [String(age)];
}

/** Shows one detail of the CRM record and of the profile. `ours` is null if the record lacks the detail. */
function Row(props: {
  name: string;
  ours: readonly string[] | null;
  theirs: readonly string[] | null;
  /** The reason why the profile lacks the detail. */
  absent?: string;
}) {
  return (
    <tr>
      <th scope="row">{props.name}</th>
      <TableCell label="In your CRM">
        <Lines texts={props.ours} absent="not requested" />
      </TableCell>
      <TableCell label="In the profile">
        <Lines texts={props.theirs} absent={props.absent ?? 'not known'} />
      </TableCell>
    </tr>
  );
}

/** The maximum number of lines in the list. A longer list would push the buttons out of view. */
const MAX_LINES = 6;

function Lines({ texts, absent }: { texts: readonly string[] | null; absent: string }) {
  if (texts === null) return <span class="quiet">{absent}</span>;
  if (texts.length === 0) return <span class="quiet">none</span>;
  const more = texts.length - MAX_LINES;
  return (
    <>
      {texts.slice(0, MAX_LINES).map((text) => (
        <div>{text}</div>
      ))}
      {more > 0 && <div class="quiet">and {more} more</div>}
    </>
  );
}

export function MatchFacts({ match: { probability, reasons, runnerUp } }: { match: Match }) {
  return (
    <div class="match">
      <h3>Why the service chose this person: {percent(probability)} sure</h3>
      {reasons.length === 0 ? (
        <p>The service does not say which details of the contact match.</p>
      ) : (
        <ul>
          {reasons.map((reason) => (
            <li>{reason}</li>
          ))}
        </ul>
      )}
      <p class="quiet">
        {runnerUp === null
          ? 'The service found no other person to whom these details could belong.'
          : `The next likeliest person: ${percent(runnerUp.probability)}. ${runnerUp.reasons.join('; ')}`}
      </p>
    </div>
  );
}

export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) return 'less than 0.1 %';
  return `${Number(value.toFixed(1))} %`;
}

function Examples(props: { batch: OpenBatch; integration: string }) {
  const { examples, problem } = props.batch;
  if (problem !== null) {
    return (
      <div class="trouble trouble-attention">
        <Icon kind="attention" />
        <p>No examples can be shown: {problem} You can decide anyway.</p>
      </div>
    );
  }
  return (
    <table class="stacks examples">
      <caption>Examples, with their current values from the CRM (not stored)</caption>
      <TableHead texts={['Contact', 'Name', 'Now']} />
      <tbody>
        {examples.map(({ contact, url, name, now }) => (
          <tr key={contact}>
            <th scope="row">
              <ContactId id={contact} url={url} href={contactHref(props.integration, contact)} />
            </th>
            <TableCell label="Name">{name ?? 'not found in the CRM'}</TableCell>
            <TableCell label="Now">
              {now.map(({ part, text }) => (
                <div key={part}>
                  {part}: {text}
                </div>
              ))}
            </TableCell>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Shows the answers to a batch. Each answer asks the user for confirmation. */
function BatchChoices({ id, batch, query }: { id: string; batch: OpenBatch; query: QueueQuery }) {
  const answers = getBatchWords(batch.kind).answers(batch.count);
  return (
    <div class="choices">
      {batch.decisions.map((word) => {
        const { label, title, confirm, effect, hint } = answers[word];
        return (
          <div class="choice priced">
            <ConfirmDialog
              id={`batch-${word}`}
              buttonKey={word === 'approve' ? 'A' : 'R'}
              action={`/decisions/batches/${id}/${word}${queueWords(query, { until: String(batch.until) })}`}
              label={label}
              title={title}
              answer={confirm}
            >
              {effect}
            </ConfirmDialog>
            <span class="quiet">{hint}</span>
          </div>
        );
      })}
    </div>
  );
}
