import { describe, expect, it } from 'vitest';
import { aClient, aPerson, rejectionOf } from './test-client.ts';
import { type Received, startTestService } from './test-service.ts';

const JOB = 'a'.repeat(32);

describe('the two path forms', () => {
  it('uses the form under /enhancements where it exists', async () => {
    const { baseUrl, received } = await startTestService(formB);
    await useEverything(baseUrl);
    expect(received.map(spoken)).toEqual([
      'POST /enhancements persons',
      'GET /enhancements/JOB/progress',
      'POST /enhancements/progress/batch job_ids',
      'POST /enhancements/results/batch job_ids',
    ]);
  });

  it('switches to the form at the base URL once, and remembers it', async () => {
    const { baseUrl, received } = await startTestService(formA);
    const client = await useEverything(baseUrl);
    const switching = received.splice(0).map(spoken);
    expect(switching.filter((line) => line.includes('/enhancements'))).toHaveLength(4);
    await useEverything(baseUrl, client);
    expect(received.map(spoken)).toEqual([
      'PUT / persons',
      'GET /progress/JOB',
      'POST /progress list',
      'POST / job_ids',
    ]);
  });

  it('switches on 405 as on 404', async () => {
    const { baseUrl } = await startTestService((one) =>
      one.path.startsWith('/enhancements')
        ? Response.json({ detail: 'x' }, { status: 405 })
        : formA(one),
    );
    await expect(useEverything(baseUrl)).resolves.toBeDefined();
  });

  it('switches when a form is turned off while the client lives', async () => {
    let current = formB;
    const { baseUrl, received } = await startTestService((one) => current(one));
    const client = aClient(baseUrl);
    await client.submitEnhancements([aPerson()]);
    current = formA;
    await client.submitEnhancements([aPerson()]);
    expect(received.map(spoken)).toEqual([
      'POST /enhancements persons',
      'POST /enhancements persons',
      'PUT / persons',
    ]);
  });

  it('finds a service that insists on a last slash', async () => {
    const { baseUrl, received } = await startTestService((one) => {
      if (one.path.endsWith('/')) return formB({ ...one, path: one.path.slice(0, -1) });
      return one.path.startsWith('/enhancements')
        ? new Response(null, {
            status: 307,
            headers: { location: `http://elsewhere.invalid${one.path}/` },
          })
        : Response.json({ detail: 'Not Found' }, { status: 404 });
    });
    const client = await useEverything(baseUrl);
    received.length = 0;
    await client.submitEnhancements([aPerson()]);
    expect(received.map(spoken)).toEqual(['POST /enhancements/ persons']);
  });

  it('sends the other form of the body when the first is invalid, and remembers it', async () => {
    const { baseUrl, received } = await startTestService((one) =>
      Array.isArray(one.body) ? formB(one) : Response.json({ detail: [] }, { status: 422 }),
    );
    const client = aClient(baseUrl);
    await client.readProgress([JOB]);
    await client.readProgress([JOB]);
    expect(received.map(spoken)).toEqual([
      'POST /enhancements/progress/batch job_ids',
      'POST /enhancements/progress/batch list',
      'POST /enhancements/progress/batch list',
    ]);
  });

  it('never sends a submit again because it was invalid', async () => {
    const { baseUrl, received } = await startTestService(() =>
      Response.json({ detail: [] }, { status: 422 }),
    );
    const error = await rejectionOf(aClient(baseUrl).submitEnhancements([aPerson()]));
    expect(error).toMatchObject({ code: 'partner_validation' });
    expect(received).toHaveLength(1);
  });

  it('says that the endpoint is missing when no form exists, and asks in each once', async () => {
    const { baseUrl, received } = await startTestService(() =>
      Response.json({ detail: 'x' }, { status: 404 }),
    );
    const error = await rejectionOf(aClient(baseUrl).submitEnhancements([aPerson()]));
    expect(error).toMatchObject({
      code: 'partner_endpoint_missing',
      details: { endpoint: 'POST /enhancements', charged: 'no' },
    });
    const paths = received.map(({ method, path }) => `${method} ${path}`);
    expect(paths).toEqual(['POST /enhancements', 'PUT ', 'POST /enhancements/', 'PUT /']);
  });

  it('does not take jobs for vanished when the known path is gone and the other never was', async () => {
    let current = formB;
    const { baseUrl } = await startTestService((one) => current(one));
    const client = aClient(baseUrl);
    await client.readProgress([JOB]);
    current = ({ path }) =>
      path.startsWith('/enhancements')
        ? new Response('no route', { status: 404 })
        : Response.json({ detail: 'Not Found' }, { status: 404 });
    const error = await rejectionOf(client.readProgress([JOB]));
    expect(error).toMatchObject({ code: 'partner_endpoint_missing' });
  });

  it('says what the path that exists finds wrong, not that the other is missing', async () => {
    const { baseUrl } = await startTestService(({ path }) =>
      path.startsWith('/enhancements')
        ? Response.json({ detail: 'Not Found' }, { status: 404 })
        : Response.json({ detail: [] }, { status: 422 }),
    );
    const client = aClient(baseUrl);
    expect(await rejectionOf(client.readProgress([JOB]))).toMatchObject({
      code: 'partner_validation',
    });
  });

  it('does not take jobs for vanished where the path itself may be wrong', async () => {
    const { baseUrl } = await startTestService(() =>
      Response.json({ detail: 'Not Found' }, { status: 404 }),
    );
    const client = aClient(baseUrl);
    expect(await rejectionOf(client.readProgress([JOB]))).toMatchObject({
      code: 'partner_endpoint_missing',
    });
    expect(await rejectionOf(client.readJobProgress(JOB))).toMatchObject({
      code: 'partner_endpoint_missing',
    });
    expect(await rejectionOf(client.readResults([JOB]))).toMatchObject({
      code: 'partner_endpoint_missing',
    });
  });
});

async function useEverything(baseUrl: string, client = aClient(baseUrl)) {
  await client.submitEnhancements([aPerson()]);
  await client.readJobProgress(JOB);
  await client.readProgress([JOB]);
  await client.readResults([JOB]);
  return client;
}

const STATE = { progress: { status: 'processing', pct_done: 40 }, error: null };
const STATES = { job_id_to_state: { [JOB]: STATE } };
const ACCEPTED = {
  tracking_id_to_job_id: { 'tracking-1': JOB },
  meta: { requested: 1, processed: 1 },
};

function formB({ method, path }: Received): Response {
  return answerTo(`${method} ${path}`, {
    'POST /enhancements': ACCEPTED,
    [`GET /enhancements/${JOB}/progress`]: { job_state: STATE },
    'POST /enhancements/progress/batch': STATES,
    'POST /enhancements/results/batch': STATES,
  });
}

function formA({ method, path, body }: Received): Response {
  if (path === '/progress' && !Array.isArray(body))
    return Response.json({ detail: [] }, { status: 422 });
  return answerTo(`${method} ${path || '/'}`, {
    'PUT /': ACCEPTED,
    [`GET /progress/${JOB}`]: { job_state: STATE },
    'POST /progress': STATES,
    'POST /': STATES,
  });
}

function answerTo(request: string, answers: Record<string, unknown>): Response {
  const answer = answers[request];
  return answer === undefined
    ? Response.json({ detail: 'Not Found' }, { status: 404 })
    : Response.json(answer);
}

/** Returns a request as one line. It contains the method, the path, and the form of the list in the body. */
function spoken({ method, path, body }: Received): string {
  const wrapper = Array.isArray(body) ? ['list'] : Object.keys(Object(body));
  return [method, path.replace(JOB, 'JOB') || '/', ...wrapper].join(' ');
}
