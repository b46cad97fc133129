/**
 * The donor-sync card on a contact in HubSpot. The card shows the responses of donor-sync. The card itself does not
 * decide anything.
 */
import {
  Alert,
  Button,
  DescriptionList,
  DescriptionListItem,
  Divider,
  Flex,
  Heading,
  hubspot,
  Link,
  LoadingSpinner,
  Text,
} from '@hubspot/ui-extensions';
import { useCallback, useEffect, useRef, useState } from 'react';
import {
  type Answer,
  answerQuestion,
  loadContact,
  markWanted,
  newKey,
  type Question,
  type Shown,
  type Values,
} from './door';

/** The interval (ms) at which the card requests the state of the run. */
const POLL_MS = 5_000;

hubspot.extend<'crm.record.tab'>(({ context }) => (
  <ContactCard contact={String(context.crm.objectId)} />
));

export function ContactCard({ contact }: { contact: string }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  /**
   * The last click that has not been answered yet. If the user clicks again, the same key is sent, so the action
   * happens only once.
   */
  const click = useRef<{ what: string; key: string } | null>(null);

  const load = useCallback(async () => {
    const { body, problem: why } = await loadContact(contact);
    setProblem(why);
    if (body !== null) setShown(body);
  }, [contact]);

  useEffect(() => void load(), [load]);

  const isWanted = shown?.contact.wanted != null;
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => void load(), POLL_MS);
    return () => clearInterval(timer);
  }, [isWanted, load]);

  async function act<Body>(
    what: string,
    send: (key: string) => Promise<Answer<Body>>,
    say: (body: Body) => string,
  ): Promise<void> {
    if (click.current?.what !== what) click.current = { what, key: newKey() };
    const { key } = click.current;
    setBusy(true);
    const { body, problem: why } = await send(key);
    setBusy(false);
    setProblem(why);
    if (body === null) return;
    click.current = null;
    setNote(say(body));
    await load();
  }

  if (shown === null) {
    return problem === null ? (
      <LoadingSpinner label="Loading" />
    ) : (
      <Alert title="donor-sync" variant="error">
        {problem}
      </Alert>
    );
  }
  const { status, wanted, mayEnhance, values } = shown.contact;
  return (
    <Flex direction="column" gap="medium">
      {problem !== null && (
        <Alert title="That was not possible" variant="error">
          {problem}
        </Alert>
      )}
      {note !== null && (
        <Alert title="Done" variant="success">
          {note}
        </Alert>
      )}
      <Text>{status ?? 'No run has read this contact yet.'}</Text>
      {wanted !== null && <Text>Enhancing: a run decides about this contact.</Text>}
      {shown.link !== null && (
        <Alert title="Link yourself" variant="info">
          To see values, sign in to donor-sync once and confirm that this is you.{' '}
          <Link href={shown.link}>Link</Link>
        </Alert>
      )}
      {values !== null && <ShownValues values={values} />}
      {values?.question != null && (
        <OpenQuestion
          question={values.question}
          isBusy={isBusy}
          onAnswer={(decision) =>
            void act(
              `answer ${decision}`,
              (key) =>
                answerQuestion(contact, { question: values.question?.id ?? '', decision }, key),
              ({ text }) => text,
            )
          }
        />
      )}
      {mayEnhance && wanted === null && (
        <Button
          variant="primary"
          disabled={isBusy}
          onClick={() =>
            void act(
              'wanted',
              (key) => markWanted(contact, key),
              () => 'The contact is marked. A run decides by all rules of donor-sync.',
            )
          }
        >
          Enhance: 1 credit
        </Button>
      )}
      <Link href={shown.page}>Open in donor-sync</Link>
    </Flex>
  );
}

function ShownValues({ values }: { values: Values }) {
  const { problem, keptBack, profile, introductions } = values;
  return (
    <Flex direction="column" gap="small">
      {problem !== null && <Text>{problem}</Text>}
      {keptBack !== null && <Text>{`No profile is shown: ${keptBack}.`}</Text>}
      {profile.length > 0 && (
        <DescriptionList direction="row">
          {profile.map(({ name, lines }) => (
            <DescriptionListItem key={name} label={name}>
              <Text>{lines.join('; ')}</Text>
            </DescriptionListItem>
          ))}
        </DescriptionList>
      )}
      {introductions.length > 0 && <Heading>Who can introduce</Heading>}
      {introductions.map(({ sentence }) => (
        <Text key={sentence}>{sentence}</Text>
      ))}
    </Flex>
  );
}

interface QuestionProps {
  question: Question;
  isBusy: boolean;
  onAnswer(decision: string): void;
}

function OpenQuestion({ question: { reason, names, answers }, isBusy, onAnswer }: QuestionProps) {
  return (
    <Flex direction="column" gap="small">
      <Divider />
      <Heading>A question is open</Heading>
      <Text>{`It waits because ${reason}.`}</Text>
      {names !== null && (
        <Text>{`In HubSpot: ${names.contact ?? 'unknown'}. In the profile: ${names.profile ?? 'unknown'}.`}</Text>
      )}
      {answers.map(({ decision, label }) => (
        <Button key={decision} disabled={isBusy} onClick={() => onAnswer(decision)}>
          {label}
        </Button>
      ))}
    </Flex>
  );
}
