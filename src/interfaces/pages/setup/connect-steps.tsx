import type { AboutRemoteCrm, SignIn } from '../../../../connectors/about.ts';
import { listRemoteCrms } from '../../../../connectors/index.ts';
import type { DroppedPreview } from '../../../clients/setup/dropped-file.ts';
import { askSignIn } from '../../../clients/setup/interview/crm.ts';
import { findOptions } from '../../../clients/setup/interview/question.ts';
import { QUESTIONS } from '../../../clients/setup/interview/questions.ts';
import { formatCount } from '../../../core/quantities.ts';
import { Fact, Icon, Status } from '../frame/parts.tsx';
import { getSignIn, listAppWays } from './crm-form.ts';
import { Choice, Field } from './parts.tsx';
import type { StepPageView, StepView } from './steps.ts';

export function CrmStep({ page, view }: { page: StepPageView; view: StepView['crm'] }) {
  const { setup } = page;
  const isConnected = setup.done.includes('crm');
  const kind = setup.answers.crm?.kind;
  return (
    <>
      {isConnected && (
        <div class="reached row">
          <Status kind="well" word={connectedWords(setup)} />
          <a class="button primary" href={`/setup/${setup.id}/key`}>
            Continue
          </a>
        </div>
      )}
      {isConnected && <p class="quiet">Or choose another source to replace this one:</p>}
      <div class="doors">
        {listRemoteCrms().map((about) =>
          setup.isNew || kind === about.kind ? <ConnectDoor page={page} about={about} /> : null,
        )}
        {setup.isNew || kind === 'csv' ? <FileDoor page={page} view={view} /> : null}
      </div>
    </>
  );
}

function connectedWords({ account, fileName, answers }: StepPageView['setup']): string {
  if (answers.crm?.kind === 'csv') return fileName === null ? 'A CSV file' : `The file ${fileName}`;
  return account === null ? 'Connected' : `Connected to ${account}`;
}

/** The data for the form that connects a CRM. */
export type DoorView = Pick<StepPageView, 'apps' | 'callbacks'> & {
  setup: Pick<StepPageView['setup'], 'id' | 'version' | 'answers'>;
};

/** Renders the form that connects a CRM. */
export function ConnectDoor({ page, about }: { page: DoorView; about: AboutRemoteCrm }) {
  const { setup, apps } = page;
  const { kind, name } = about;
  const { address, signIns, foldedTitle } = about.setup;
  const { isForAll = false } = address;
  const before = getSignIn(setup);
  const url = before.kind === kind ? before.url : (apps[kind]?.url ?? address.usual);
  const key = signIns.find(({ browser }) => browser === 'key');
  const ways = listAppWays(signIns);
  const keyFields = key && <KeyFields page={page} about={about} signIn={key} />;
  const addressField = (
    <Field
      name="url"
      id={`${kind}-url`}
      label={address.label}
      type="url"
      value={url ?? null}
      {...(address.placeholder === undefined ? {} : { placeholder: address.placeholder })}
      {...(address.usual === undefined ? { isNeeded: true } : {})}
      {...(address.hint === undefined ? {} : { hint: address.hint })}
    />
  );
  return (
    <form class="door" method="post" action={`/setup/${setup.id}/crm`}>
      <h2>{name}</h2>
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="version" value={String(setup.version)} />
      {ways.length > 0 && (apps[kind] ?? null) === null && (
        <AppFields page={page} about={about} ways={ways} />
      )}
      {!isForAll && addressField}
      {ways.length === 0 && keyFields}
      {ways.length === 0 && <HowTo about={about} />}
      {(isForAll || (ways.length > 0 && key !== undefined)) && (
        <details class="how">
          <summary>{foldedTitle ?? 'Another address'}</summary>
          {ways.length > 0 && keyFields}
          {isForAll && addressField}
        </details>
      )}
      <button type="submit" class="button primary">
        Connect {name}
      </button>
    </form>
  );
}

/** Renders the fields for the credentials of an app that is registered in the CRM. */
function AppFields(props: { page: DoorView; about: AboutRemoteCrm; ways: readonly SignIn[] }) {
  const { page, about, ways } = props;
  const { kind } = about;
  const before = getSignIn(page.setup);
  const isBefore = before.kind === kind;
  const isKept = isBefore && before.textOf('clientSecret') !== undefined;
  const hasKey = about.setup.signIns.some(({ browser }) => browser === 'key');
  const question = askSignIn(about);
  return (
    <>
      <Field
        name="clientId"
        id={`${kind}-client`}
        label="The app's client ID"
        value={isBefore ? before.textOf('clientId') : null}
        isNeeded={!hasKey}
      />
      <Field
        name="clientSecret"
        id={`${kind}-secret`}
        label="Client secret"
        type="password"
        hint={isKept ? 'Entered. Leave this empty, unless the address or the app changes.' : null}
      />
      {ways.length > 1 && (
        <Choice
          name="way"
          label={question.label}
          value={
            (isBefore && ways.find(({ type }) => type === before.type)?.type) ||
            (ways[0]?.type ?? '')
          }
          options={findOptions(
            question,
            ways.map(({ type }) => type),
          )}
          hint={question.hint}
        />
      )}
      <HowTo about={about} callback={page.callbacks.get(kind)} />
    </>
  );
}

/** Renders the fields for a key. The page does not show a secret again that the user entered. */
function KeyFields(props: { page: DoorView; about: AboutRemoteCrm; signIn: SignIn }) {
  const { page, about, signIn } = props;
  const before = getSignIn(page.setup);
  const hasApp = about.setup.signIns.some(({ browser }) => browser === 'app');
  const isBefore = before.kind === about.kind && before.type === signIn.type;
  return (
    <>
      {signIn.fields.map(({ name, label, hint, placeholder, isSecret, isOptional = false }) => {
        const isKept = !hasApp && isSecret && isBefore && before.textOf(name) !== undefined;
        const shownHint = isKept ? 'Entered. Leave this empty, unless the address changes.' : hint;
        return (
          <Field
            name={name}
            id={`${about.kind}-${name}`}
            label={label}
            {...(isSecret
              ? { type: 'password' }
              : { value: isBefore ? before.textOf(name) : null })}
            {...(placeholder === undefined ? {} : { placeholder })}
            {...(shownHint === undefined ? {} : { hint: shownHint })}
            {...(hasApp || isKept || isOptional ? {} : { isNeeded: true })}
          />
        );
      })}
    </>
  );
}

/** Explains where an administrator finds the required values in the CRM. */
function HowTo({ about, callback }: { about: AboutRemoteCrm; callback?: string | undefined }) {
  return (
    <details class="how">
      <summary>How to get these</summary>
      <ol>
        {about.setup.howTo.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
      {callback !== undefined && (
        <p>
          Callback URL: <code>{callback}</code>
        </p>
      )}
    </details>
  );
}

function FileDoor({ page: { setup }, view }: { page: StepPageView; view: StepView['crm'] }) {
  return (
    <form
      class="door"
      method="post"
      action={`/setup/${setup.id}/file`}
      enctype="multipart/form-data"
      data-file-form
    >
      <h2>A CSV file or workbook</h2>
      {view.takesFiles ? (
        <>
          <p class="quiet">
            An export from any other CRM, as CSV or .xlsx, up to 20 MB. You get the results as a CSV
            file.
          </p>
          <div class="drop" data-drop>
            <label for="file">Choose a file, or drop it here</label>
            <input
              id="file"
              name="file"
              type="file"
              accept=".csv,.txt,.tsv,.xlsx,text/csv"
              required
            />
          </div>
          <div data-preview={`/setup/${setup.id}/preview`} aria-live="polite"></div>
          <Field
            name="sheet"
            label="Sheet, if it is a workbook"
            value={null}
            placeholder="the first sheet with a table"
          />
          <button type="submit" class="button primary">
            Use this file
          </button>
        </>
      ) : (
        <p>
          Several machines share this service, so a file cannot be dropped here. Ask the
          administrator of these machines to enter the path of the file in{' '}
          <code>donor-sync.yaml</code>.
        </p>
      )}
    </form>
  );
}

/** Renders the first part of a file, before the file is uploaded. */
export function FilePreview({ of }: { of: DroppedPreview }) {
  if (of === 'workbook') {
    return <p class="hint">This is a workbook. Its first rows appear when you use it.</p>;
  }
  if ('problem' in of) return <p class="hint bad">{of.problem}</p>;
  return (
    <section class="preview" tabindex={0} aria-label="The first rows of the file">
      <table>
        <thead>
          <tr>
            {of.columns.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.rows.map((row) => (
            <tr>
              {row.map((value) => (
                <td>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function KeyStep({ page, view }: { page: StepPageView; view: StepView['key'] }) {
  const { setup, serviceUrl } = page;
  const { partner } = setup.answers;
  const { balances } = view;
  return (
    <>
      <p class="quiet">
        Paste the key that the Partner Data Service gave you. Testing the key is free. The key is
        stored encrypted and will not be shown again.
      </p>
      {balances !== null && (
        <div class="reached">
          <Status kind="well" word="The service knows this key" />
          <dl class="facts">
            <Fact name="Credits for enhancements">{formatCount(balances.enhancements)}</Fact>
            <Fact name="Credits for networks">{formatCount(balances.networks)}</Fact>
          </dl>
          <a class="button primary" href={`/setup/${setup.id}/people`}>
            Continue
          </a>
        </div>
      )}
      <form class="stack" method="post" action={`/setup/${setup.id}/key`}>
        <input type="hidden" name="version" value={String(setup.version)} />
        <Field
          name="baseUrl"
          label={QUESTIONS.serviceAddress.label}
          type="url"
          value={partner?.baseUrl ?? serviceUrl}
          placeholder="https://…/v1/partners"
          isNeeded
        />
        <Field
          name="apiKey"
          label={partner === undefined ? QUESTIONS.serviceKey.label : 'Another key'}
          type="password"
          hint={
            partner === undefined ? null : 'Entered. Leave this empty, unless the address changes.'
          }
          isNeeded={partner === undefined}
        />
        <div class="onward row">
          <a class="button" href={`/setup/${setup.id}/crm`}>
            ← Back
          </a>
          <button
            type="submit"
            class={balances === null ? 'button primary' : 'button'}
            name="do"
            value="test"
          >
            Test the key
          </button>
        </div>
      </form>
      {balances !== null && balances.enhancements === 0 && (
        <p class="row">
          <Icon kind="attention" /> This key has no credits for enhancements.
        </p>
      )}
    </>
  );
}
