import type { Integration } from '../../../core/integration-settings.ts';
import { UNKNOWN_PERSON } from '../../../core/outcome.ts';
import { describeCount } from '../../../core/quantities.ts';
import { describeErasure, type ShownContact } from '../../../operations/contacts.ts';
import { whyText } from '../../../sync/views/run-contacts.ts';
import { MatchFacts, percent } from '../decisions/open-decision.tsx';
import { may, type Viewer } from '../frame/layout.tsx';
import {
  Icon,
  OutcomeStatus,
  RecordId,
  Status,
  TableCell,
  TableHead,
  Timestamp,
} from '../frame/parts.tsx';
import { ContactFrame } from './contact-frame.tsx';
import { contactHref } from './contact-href.ts';

export interface ContactContent {
  client: Integration;
  /** The address of the contact's record in the CRM, or null if it is unknown. */
  recordUrl: string | null;
  contact: ShownContact;
  /** A note about the user's last action. */
  note: string | null;
}

export function ContactPage({ content, viewer }: { content: ContactContent; viewer: Viewer }) {
  const { client, recordUrl, contact, note } = content;
  const { crmId, name, state } = contact;
  return (
    <ContactFrame
      client={client}
      crmId={crmId}
      viewer={viewer}
      title={`Contact ${crmId}`}
      heading={name ?? crmId}
      note={note}
    >
      <Summary contact={contact} client={client} recordUrl={recordUrl} viewer={viewer} />
      {contact.keptBack === null && state === 'known' && <Introductions contact={contact} />}
      {contact.profile !== null && (
        <Profile contact={contact} profile={contact.profile} viewer={viewer} />
      )}
      {state !== 'erased' && state !== 'erasing' && may(viewer, 'admin') && (
        <Actions contact={contact} />
      )}
      {contact.history.length > 0 && <History contact={contact} viewer={viewer} />}
    </ContactFrame>
  );
}

interface SummaryProps extends Pick<ContactContent, 'contact' | 'client' | 'recordUrl'> {
  viewer: Viewer;
}

function Summary({ contact, client, recordUrl, viewer }: SummaryProps) {
  const { crmId, problem, decision, outcome, keptBack, mergedInto, networks } = contact;
  const undo = contact.history.find(({ kind, id }) => kind === 'undo' && id === outcome?.run);
  return (
    <section class="card" aria-label="Summary" id="summary" data-live>
      <p>
        <RecordId id={crmId} url={null} />
        <RecordLink url={recordUrl} />
        {networks.length > 0 && <> · In {networks.join(', ')}</>}
      </p>
      {contact.state === 'erased' ? (
        <Erased contact={contact} now={viewer.now} />
      ) : (
        <p {...(contact.state === 'erasing' ? { 'data-erasing': true } : {})}>
          {stateText(contact)}
        </p>
      )}
      {problem !== null && (
        <Warning>
          The CRM could not be read, so neither the name nor anything newer than the last run is
          shown: {problem}
        </Warning>
      )}
      {keptBack?.reason === 'contacts_missing' && (
        <Warning>The CRM currently cannot find this contact.</Warning>
      )}
      {keptBack !== null && <p>No profile is shown: {keptBack.text}.</p>}
      {mergedInto !== null && (
        <p>
          This contact was merged into{' '}
          <a href={contactHref(client.id, mergedInto)}>
            <code>{mergedInto}</code>
          </a>
          .
        </p>
      )}
      {decision !== null && (
        <p>
          <a href={`/decisions/${decision.id}`}>
            This contact is waiting for a decision: {decision.name}
          </a>
        </p>
      )}
      {outcome !== null && outcome.at !== null && (
        <p class="quiet">
          Last run <Timestamp at={outcome.at} now={viewer.now} />:{' '}
          {outcome.run === null ? (
            whyText(outcome)
          ) : (
            <a href={`/runs/${outcome.run}`}>{whyText(outcome)}</a>
          )}
          {undo !== undefined && undo.at !== null && (
            <>
              . {undo.text}, <Timestamp at={undo.at} now={viewer.now} />
            </>
          )}
        </p>
      )}
    </section>
  );
}

function RecordLink({ url }: { url: string | null }) {
  if (url === null) return null;
  return (
    <>
      {' · '}
      <a href={url} rel="noreferrer">
        Open in the CRM
      </a>
    </>
  );
}

function Warning({ children }: { children?: unknown }) {
  return (
    <div class="trouble trouble-attention">
      <Icon kind="attention" />
      <p>{children}</p>
    </div>
  );
}

/** Says what the erasure has removed, and what stays. */
function Erased({ contact: { since, erasure }, now }: { contact: ShownContact; now: number }) {
  return (
    <div data-erased>
      <p>
        This contact was erased
        {since !== null && (
          <>
            {' '}
            on <Timestamp at={since} now={now} as="moment" />
          </>
        )}
        . donor-sync has deleted its profile and its history, and did not read its record in the
        CRM.
      </p>
      {erasure !== null && <p>{describeErasure(erasure).join(' ')}</p>}
      <p>
        What stays: the record in the CRM, a block that keeps syncs from processing the contact
        again, and the audit entries. The audit entries no longer show which contact they are about.
      </p>
    </div>
  );
}

function stateText(contact: ShownContact): string {
  const { state, profile, paidAt, keptBack, outcome } = contact;
  if (state === 'erasing') {
    return 'This contact is being erased. donor-sync no longer shows anything about it. This page shows when the erasure has finished. If the CRM is unavailable, donor-sync tries again.';
  }
  if (state === 'new')
    return 'This contact is in the CRM. No run has read it yet, so nothing was bought.';
  if (state === 'gone') return 'This contact is no longer in the CRM.';
  if (profile !== null) return 'donor-sync keeps a profile of this contact.';
  if (paidAt === null) return 'This contact has never been enhanced.';
  if (keptBack !== null) return `A credit was spent on ${paidAt.slice(0, 10)}.`;
  if (UNKNOWN_REASONS.includes(outcome?.reason ?? '') && !wasWritten(contact)) {
    return `The service does not know this person, so there is no profile and nothing was written. A credit was spent on ${paidAt.slice(0, 10)}.`;
  }
  const where = wasWritten(contact) ? ' The values are only in the CRM.' : '';
  return `donor-sync does not currently keep a profile of this contact.${where}`;
}

const UNKNOWN_REASONS: readonly string[] = [UNKNOWN_PERSON, 'no_match_known'];

/** True if a run that is still on record has written values of the contact to the CRM. */
function wasWritten({ history }: ShownContact): boolean {
  return history.some(({ outcome }) => outcome === 'written');
}

function Actions({ contact }: { contact: ShownContact }) {
  const { integration, crmId, state, keptBack, profile } = contact;
  const page = contactHref(integration, crmId);
  const isThere = state !== 'gone';
  return (
    <section class="card" aria-labelledby="actions-title">
      <h2 id="actions-title">Actions</h2>
      <p class="quiet">Each action first shows what it would do and what it costs.</p>
      <div class="row actions">
        {isThere && (
          <form method="post" action={`${page}/plan`}>
            <button type="submit" class="button primary">
              Enhance now…
            </button>
          </form>
        )}
        {state === 'known' && keptBack === null && profile !== null && (
          <form method="post" action={`${page}/redelivery/preview`}>
            <button type="submit" class="button">
              Write again…
            </button>
          </form>
        )}
        <form class="row" method="post" action={`${page}/forget/preview`}>
          <label>
            <input type="checkbox" name="alsoInCrm" value="on" /> When erasing, also clear the
            values that donor-sync wrote to the CRM
          </label>
          <button type="submit" class="button">
            Erase…
          </button>
        </form>
      </div>
    </section>
  );
}

type ProfileView = NonNullable<ShownContact['profile']>;

function Profile(props: { contact: ShownContact; profile: ProfileView; viewer: Viewer }) {
  const { profile, contact, viewer } = props;
  const { values, paidAt, run, probability, isDeceased } = profile;
  const { name } = contact;
  return (
    <section class="card" aria-labelledby="profile-title">
      <div class="card-head">
        <h2 id="profile-title">Profile</h2>
        <p class="quiet">
          {paidAt !== null && (
            <>
              Bought <Timestamp at={paidAt} now={viewer.now} as="moment" />
            </>
          )}
          {run !== null && (
            <>
              {' by '}
              <a href={`/runs/${run}`}>a run</a>
            </>
          )}
          {probability !== null && <> · {percent(probability)} sure that it is this person</>}
        </p>
      </div>
      {isDeceased && <p>The profile says that this person has died.</p>}
      <table class="stacks">
        <caption class="hidden">The kept profile{name === null ? '' : ` of ${name}`}</caption>
        <TableHead texts={['Value', 'Profile', 'In the CRM']} />
        <tbody>
          {values.map((value) => (
            <tr key={value.name}>
              <th scope="row">{value.name}</th>
              <TableCell label="Profile">
                <Lines value={value} />
              </TableCell>
              <TableCell label="In the CRM">
                {value.fields.length === 0 && <span class="quiet">no field</span>}
                {value.fields.map((field) => (
                  <Field field={field} viewer={viewer} />
                ))}
              </TableCell>
            </tr>
          ))}
        </tbody>
      </table>
      {contact.match !== null && <MatchFacts match={contact.match} />}
      <Namesakes contact={contact} />
    </section>
  );
}

/** Warns about other contacts with the same name, because a certain match of the name says little about them. */
function Namesakes({ contact: { namesakes, match } }: { contact: ShownContact }) {
  if (namesakes === 0) return null;
  const have = namesakes === 1 ? 'has' : 'have';
  return (
    <p>
      {describeCount(namesakes, 'other contact')} of your list {have} the same name. The service
      searches for each contact separately.{' '}
      {match !== null && 'The list above shows which details it compared. '}
      Compare the address and the employer before you rely on the profile.
    </p>
  );
}

type ValueView = ProfileView['values'][number];

/** The maximum number of lines in a list. A longer list would hide the rest of the page. */
const MAX_LINES = 8;

function Lines({ value: { lines, isLink } }: { value: ValueView }) {
  if (isLink) {
    return (
      <>
        {lines.map((line) =>
          /^https:\/\//.test(line) ? (
            <a href={line} rel="noreferrer">
              Open the profile
            </a>
          ) : (
            line
          ),
        )}
      </>
    );
  }
  const more = lines.length - MAX_LINES;
  return (
    <>
      {lines.slice(0, MAX_LINES).map((line) => (
        <div>{line}</div>
      ))}
      {more > 0 && <div class="quiet">and {more} more</div>}
    </>
  );
}

function Field(props: { field: ValueView['fields'][number]; viewer: Viewer }) {
  const { label, missing, missingSince, run, at } = props.field;
  return (
    <div>
      {label}
      {missing !== null && (
        <span class="quiet">
          : {missing}
          {missingSince !== null && (
            <>
              , <Timestamp at={missingSince} now={props.viewer.now} />
            </>
          )}
        </span>
      )}
      {missing === null && run !== null && at !== null && (
        <span class="quiet">
          {', '}
          <a href={`/runs/${run}`}>
            written <Timestamp at={at} now={props.viewer.now} />
          </a>
        </span>
      )}
    </div>
  );
}

function Introductions({ contact }: { contact: ShownContact }) {
  const { integration, crmId, introductions, introduces, sentence } = contact;
  const who = `/networks/${integration}?who=${encodeURIComponent(crmId)}&names=1#person`;
  return (
    <section class="card" aria-labelledby="introductions-title">
      <h2 id="introductions-title">Who can introduce this contact</h2>
      {sentence !== null && <p class="sentence">{sentence}</p>}
      {introductions.length === 0 ? (
        <p class="empty">donor-sync knows of no network member who knows this contact.</p>
      ) : (
        <ul class="sentences">
          {introductions.map((one) => (
            <li>
              {one.sentence}{' '}
              {one.contact !== null && (
                <a href={contactHref(integration, one.contact)}>
                  {one.name === null ? one.contact : `See ${one.name}`}
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
      {introduces > 0 && (
        <p>
          <a href={who}>This contact can introduce {describeCount(introduces, 'contact')}</a>
        </p>
      )}
    </section>
  );
}

function History({ contact, viewer }: { contact: ShownContact; viewer: Viewer }) {
  return (
    <section class="card" aria-labelledby="history-title">
      <h2 id="history-title">History</h2>
      <table class="stacks">
        <caption class="hidden">Actions of runs and users on this contact</caption>
        <TableHead texts={['When', 'What', 'Outcome']} />
        <tbody>
          {contact.history.map(({ at, kind, id, outcome, reason, text }) => (
            <tr key={`${kind} ${id} ${at}`}>
              <th scope="row">
                {at === null ? 'unknown' : <Timestamp at={at} now={viewer.now} as="moment" />}
              </th>
              <TableCell label="What">
                <a href={kind === 'decision' ? `/decisions/${id}` : `/runs/${id}`}>{text}</a>
              </TableCell>
              <td data-label="Outcome">
                {kind === 'run' && <OutcomeStatus outcome={outcome} reason={reason ?? ''} />}
                {kind === 'undo' && <Status kind="idle" word="restored" />}
                {kind === 'decision' && 'decision'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
