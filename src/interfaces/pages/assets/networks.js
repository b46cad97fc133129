/**
 * Draws a picture of who can introduce which contact. The list on the page contains the same people and works without
 * the script. When the user sorts the list or selects a person, the script fetches the same page again. Browsers get
 * this file unchanged.
 */
'use strict';

{
  // Contacts are on circles around the members. The contacts with the strongest paths are on the inner circle.
  const INNER = 90;
  /** The distance that separates the names of two neighbours. Each circle has enough space for its names. */
  const PER_MEMBER = 14;
  const NEAR = 160;
  const FAR = 520;
  /**
   * The maximum number of people for a fine layout. With more people, contacts are only placed on circles, because a
   * fine layout would take too long.
   */
  const MAX_FINE = 200;
  const ALSO_KNOWN = 45;
  /** The assumed strength of a further member who knows the contact, because the service does not state it. */
  const ALSO_STRENGTH = 0.4;
  /** The strength with which people are pushed apart. */
  const REPULSION = 500;
  /** The minimum distance between two people. */
  const ROOM = 26;
  /** The number of layout steps. After these steps, the people no longer move. */
  const STEPS = 300;
  /** @type {readonly ('below' | 'above' | 'right' | 'left')[]} */
  const SIDES = ['below', 'above', 'right', 'left'];
  const LABEL_CLASSES = 'label-below label-above label-right label-left unlabelled';
  const LABEL_FONT = 'Helvetica Neue, Helvetica, sans-serif';
  const LABEL_WIDTH = 110;
  const LABEL_HEIGHT = 15;
  const LABEL_GAP = 3;
  const LABEL_PAD = 3;
  /** The size of the grid cells that are used to compare label positions. */
  const CELL = 120;

  const frame = document.querySelector('[data-picture-frame]');
  const place = frame?.querySelector('[data-picture]');
  const controls = document.querySelector('[data-controls]');
  /** The names in the page's list (`names.js`). They may arrive before or after the picture. */
  /** @type {Map<string, string>} */
  let names = new Map();
  document.addEventListener('names-shown', (event) => {
    if (event instanceof CustomEvent) names = event.detail;
  });
  // The script removes the message only if it can draw the picture.
  const problem = document.getElementById('picture-problem');
  if (frame instanceof HTMLElement && place instanceof HTMLElement) {
    problem?.setAttribute('hidden', '');
    draw(frame, place).catch(() => {
      frame.hidden = true;
      problem?.removeAttribute('hidden');
    });
  }

  /**
   * @param {HTMLElement} frame
   * @param {HTMLElement} place
   */
  async function draw(frame, place) {
    const response = await fetch(place.dataset['picture'] ?? '');
    if (!response.ok) throw new Error(`The picture was answered with ${response.status}.`);
    const { people, paths } = await response.json();
    const startedAt = performance.now();
    frame.hidden = false;
    const colors = colorsOf(frame);
    const positions = positionsOf(people, paths);
    const isLarge = people.length > MAX_FINE;
    if (!isLarge) refine(people, paths, positions);
    // @ts-expect-error The packages' scripts define these names.
    const make = globalThis.cytoscape;
    const picture = make({
      container: place,
      elements: {
        nodes: people.map((/** @type {Person} */ { id, label, contact, isMember }) => ({
          data: { id, label, contact, first: label },
          position: positions.get(id),
          classes: isMember ? 'member' : '',
        })),
        edges: paths.map(
          (/** @type {Path} */ { from, to, strength, network }, /** @type {number} */ index) => ({
            data: {
              id: `path-${index}`,
              source: from,
              target: to,
              strength: strength ?? ALSO_STRENGTH,
              network,
            },
            classes: strength === null ? 'also' : '',
          }),
        ),
      },
      style: styleOf(colors),
      layout: { name: 'preset', fit: true, padding: 24 },
      // Draws fewer details while the user moves a large picture.
      textureOnViewport: isLarge,
      hideEdgesOnViewport: isLarge,
      pixelRatio: isLarge ? 1 : 'auto',
      minZoom: 0.05,
      maxZoom: 4,
      boxSelectionEnabled: false,
    });
    filter(picture, place.dataset['weakest'] ?? '', place.dataset['network'] ?? '');
    mark(picture, place.dataset['who'] ?? '');
    place.dataset['drawnMs'] = String(Math.round(performance.now() - startedAt));
    // Tests and the page's other scripts use the picture.
    Object.assign(place, { picture });
    label(picture);
    document.addEventListener('names-shown', () => label(picture));
    listen(frame, picture);
  }

  /**
   * @typedef {{ id: string, label: string, contact: string | null, isMember: boolean }} Person
   * @typedef {{ from: string, to: string, contact: string, strength: number | null, network: string }} Path
   */

  /**
   * Places the members on a circle. Places each contact outside the circle, near the member who introduces the contact.
   * Contacts with stronger paths are nearer. The same people always result in the same picture.
   *
   * @param {Person[]} people
   * @param {Path[]} paths
   */
  function positionsOf(people, paths) {
    /** @type {Map<string, Path>} */
    const best = new Map();
    for (const path of paths) if (!best.has(path.to)) best.set(path.to, path);
    const members = people.filter(({ isMember }) => isMember).map(({ id }) => id);
    members.sort();
    const orderOf = new Map(members.map((id, index) => [id, index]));
    const others = people.filter(({ isMember }) => !isMember);
    const introducer = (/** @type {Person} */ { id }) => orderOf.get(best.get(id)?.from ?? '') ?? 0;
    others.sort(
      (one, other) => introducer(one) - introducer(other) || (one.id < other.id ? -1 : 1),
    );
    const inner = Math.max(INNER, members.length * PER_MEMBER);
    const grown = Math.max(1, Math.sqrt(others.length / 120));
    const at = (/** @type {number} */ share, /** @type {number} */ radius) => ({
      x: Math.cos(share * 2 * Math.PI) * radius,
      y: Math.sin(share * 2 * Math.PI) * radius,
    });
    const positions = new Map(members.map((id, index) => [id, at(index / members.length, inner)]));
    for (const [index, { id }] of others.entries()) {
      const strength = best.get(id)?.strength ?? 0.45;
      const distance = NEAR + ((1 - strength) / 0.55) * (FAR - NEAR) + (index % 4) * 26;
      positions.set(id, at((index + 0.5) / others.length, inner + distance * grown));
    }
    return positions;
  }

  /**
   * Moves contacts closer to the members who introduce them, and away from each other. Members do not move. The
   * function starts from the current positions and uses no random numbers, so that the result is always the same.
   *
   * @param {Person[]} people
   * @param {Path[]} paths
   * @param {Map<string, { x: number, y: number }>} positions
   */
  function refine(people, paths, positions) {
    // @ts-expect-error The packages' scripts define these names.
    const force = globalThis.d3;
    const places = people.map(({ id, isMember }) => {
      const { x, y } = positions.get(id) ?? { x: 0, y: 0 };
      return isMember ? { id, x, y, fx: x, fy: y } : { id, x, y };
    });
    const links = paths.map(({ from, to, strength }) => ({
      source: from,
      target: to,
      length: 60 + (1 - (strength ?? ALSO_STRENGTH)) * 260,
    }));
    force
      .forceSimulation(places)
      .force(
        'paths',
        force
          .forceLink(links)
          .id((/** @type {{ id: string }} */ { id }) => id)
          .distance((/** @type {{ length: number }} */ { length }) => length),
      )
      .force('apart', force.forceManyBody().strength(-REPULSION))
      .force('room', force.forceCollide(ROOM))
      .stop()
      .tick(STEPS);
    for (const { id, x, y } of places) positions.set(id, { x, y });
  }

  /**
   * Shows the names from the list. People without a known name keep the server's label.
   *
   * @param {any} picture
   */
  function label(picture) {
    const client = picture.container()?.dataset['client'];
    picture.batch(() => {
      picture.nodes().forEach((/** @type {any} */ node) => {
        const { contact, first } = node.data();
        node.data('label', names.get(`${client}/${contact}`) ?? first);
      });
    });
    placeLabels(picture);
  }

  /** @param {HTMLElement} frame */
  function colorsOf(frame) {
    /** @type {Record<string, string>} */
    const colors = {};
    for (const probe of frame.querySelectorAll('[data-probe]')) {
      colors[probe.getAttribute('data-probe') ?? ''] = plainColor(getComputedStyle(probe).color);
    }
    return colors;
  }

  /**
   * Returns the red, green and blue values of a colour in any notation.
   *
   * @param {string} color
   */
  function plainColor(color) {
    const context = document.createElement('canvas').getContext('2d');
    if (!context) return color;
    context.fillStyle = color;
    return context.fillStyle;
  }

  /** @param {Record<string, string>} colors */
  function styleOf({ accent, ink, line, attention, surface }) {
    return [
      {
        selector: 'node',
        style: {
          width: 12,
          height: 12,
          'background-color': surface,
          'border-width': 2,
          'border-color': line,
          label: 'data(label)',
          'font-size': 11,
          'font-family': LABEL_FONT,
          color: ink,
          'min-zoomed-font-size': 9,
          'text-valign': 'bottom',
          'text-margin-y': LABEL_GAP,
          // A long name is shortened with dots, because names are never wrapped.
          'text-wrap': 'ellipsis',
          'text-max-width': `${LABEL_WIDTH}px`,
          'text-outline-color': surface,
          'text-outline-width': 2,
        },
      },
      {
        selector: 'node.member',
        style: {
          shape: 'round-rectangle',
          width: 18,
          height: 18,
          'background-color': accent,
          'border-color': accent,
          'font-weight': 'bold',
        },
      },
      {
        selector: 'edge',
        style: {
          'curve-style': 'haystack',
          'haystack-radius': 0,
          width: 'mapData(strength, 0.45, 1, 0.8, 4)',
          opacity: 'mapData(strength, 0.45, 1, 0.35, 0.85)',
          'line-color': line,
        },
      },
      { selector: 'edge.also', style: { width: 0.6, opacity: 0.3 } },
      {
        selector: 'node.label-above',
        style: { 'text-valign': 'top', 'text-margin-y': -LABEL_GAP },
      },
      {
        selector: 'node.label-right',
        style: {
          'text-valign': 'center',
          'text-halign': 'right',
          'text-margin-x': LABEL_GAP,
          'text-margin-y': 0,
        },
      },
      {
        selector: 'node.label-left',
        style: {
          'text-valign': 'center',
          'text-halign': 'left',
          'text-margin-x': -LABEL_GAP,
          'text-margin-y': 0,
        },
      },
      { selector: 'node.unlabelled', style: { 'text-opacity': 0 } },
      { selector: '.gone', style: { display: 'none' } },
      { selector: '.faint', style: { opacity: 0.12 } },
      {
        selector: 'node.marked',
        style: { 'border-color': attention, 'border-width': 4, 'text-opacity': 1 },
      },
      { selector: 'edge.marked', style: { 'line-color': attention, opacity: 0.9 } },
    ];
  }

  /**
   * @param {any} picture
   * @param {string} weakest
   * @param {string} network
   */
  function filter(picture, weakest, network) {
    const least = Number(weakest);
    picture.batch(() => {
      picture.edges().forEach((/** @type {any} */ edge) => {
        const isAlso = edge.hasClass('also');
        const isStrong = isAlso ? least <= ALSO_KNOWN : edge.data('strength') * 100 >= least - 1e-6;
        const isOf = network === '' || edge.data('network') === network;
        edge.toggleClass('gone', !(isStrong && isOf));
      });
      picture.nodes().forEach((/** @type {any} */ node) => {
        node.toggleClass('gone', node.connectedEdges().not('.gone').length === 0);
      });
    });
    placeLabels(picture);
  }

  /**
   * Places each label below, above or next to its person, so that it covers no other label and no other person.
   * Members' labels come first, then the labels of the strongest paths. If there is no space for a label, the picture
   * shows it only when the user chooses the person. The list always contains everyone.
   *
   * @param {any} picture
   */
  function placeLabels(picture) {
    const context = document.createElement('canvas').getContext('2d');
    const shown = picture.nodes().not('.gone').toArray();
    const taken = createGrid();
    for (const node of shown) {
      const { x, y } = node.position();
      const half = halfOf(node);
      taken.add({ left: x - half, right: x + half, top: y - half, bottom: y + half }, node.id());
    }
    const ordered = [
      ...shown.filter((/** @type {any} */ node) => node.hasClass('member')),
      ...shown.filter((/** @type {any} */ node) => !node.hasClass('member')),
    ];
    picture.batch(() => {
      for (const node of ordered) {
        if (context) context.font = `${node.hasClass('member') ? 'bold ' : ''}11px ${LABEL_FONT}`;
        const text = String(node.data('label'));
        const width = Math.min(LABEL_WIDTH, context?.measureText(text).width ?? LABEL_WIDTH);
        const side = SIDES.find((each) => taken.isFree(boxAt(node, each, width), node.id()));
        node.removeClass(LABEL_CLASSES);
        if (side === undefined) node.addClass('unlabelled');
        else {
          node.addClass(`label-${side}`);
          taken.add(boxAt(node, side, width), node.id());
        }
      }
    });
  }

  /** @param {any} node */
  function halfOf(node) {
    return node.hasClass('member') ? 10 : 7;
  }

  /**
   * @typedef {{ left: number, right: number, top: number, bottom: number }} Box
   *
   * @param {any} node
   * @param {'below' | 'above' | 'right' | 'left'} side
   * @param {number} width
   * @returns {Box}
   */
  function boxAt(node, side, width) {
    const { x, y } = node.position();
    const away = halfOf(node) + LABEL_GAP;
    const wide = width + 2 * LABEL_PAD;
    const left = {
      below: x - wide / 2,
      above: x - wide / 2,
      right: x + away,
      left: x - away - wide,
    };
    const top = {
      below: y + away,
      above: y - away - LABEL_HEIGHT,
      right: y - LABEL_HEIGHT / 2,
      left: y - LABEL_HEIGHT / 2,
    };
    const [start, upper] = [left[side], top[side]];
    return { left: start, right: start + wide, top: upper, bottom: upper + LABEL_HEIGHT };
  }

  /** Finds overlapping boxes without comparing every pair of boxes. */
  function createGrid() {
    /** @type {Map<string, { box: Box, owner: string }[]>} */
    const cells = new Map();
    /** @param {Box} box */
    const cellsOf = ({ left, right, top, bottom }) => {
      const found = [];
      for (let x = Math.floor(left / CELL); x <= Math.floor(right / CELL); x += 1) {
        for (let y = Math.floor(top / CELL); y <= Math.floor(bottom / CELL); y += 1) {
          found.push(`${x} ${y}`);
        }
      }
      return found;
    };
    return {
      /**
       * @param {Box} box
       * @param {string} owner
       */
      add(box, owner) {
        for (const cell of cellsOf(box)) {
          const boxes = cells.get(cell) ?? [];
          boxes.push({ box, owner });
          cells.set(cell, boxes);
        }
      },
      /**
       * @param {Box} box
       * @param {string} owner
       */
      isFree(box, owner) {
        return cellsOf(box).every((cell) =>
          (cells.get(cell) ?? []).every(
            (other) => other.owner === owner || !doMeet(box, other.box),
          ),
        );
      },
    };
  }

  /**
   * @param {Box} one
   * @param {Box} other
   */
  function doMeet(one, other) {
    return (
      one.left < other.right &&
      other.left < one.right &&
      one.top < other.bottom &&
      other.top < one.bottom
    );
  }

  /**
   * @param {any} picture
   * @param {string} who
   */
  function mark(picture, who) {
    picture.elements().removeClass('faint marked');
    if (who === '') return;
    const person = picture
      .nodes()
      .filter((/** @type {any} */ node) => node.id() === who || node.data('contact') === who);
    if (person.length === 0) return;
    const around = person.closedNeighborhood();
    picture.elements().not(around).addClass('faint');
    person.union(person.connectedEdges()).addClass('marked');
  }

  /**
   * @param {HTMLElement} frame
   * @param {any} picture
   */
  function listen(frame, picture) {
    picture.on('tap', 'node', (/** @type {any} */ { target }) => {
      choose(target.data('contact') ?? target.id());
    });
    picture.on('tap', 'edge', (/** @type {any} */ { target }) => {
      const contact = target.target();
      choose(contact.data('contact') ?? contact.id());
    });
    for (const button of frame.querySelectorAll('[data-zoom]')) {
      button.addEventListener('click', () => {
        const way = button.getAttribute('data-zoom');
        if (way === 'fit') picture.fit(undefined, 24);
        else {
          const level = picture.zoom() * (way === 'in' ? 1.3 : 1 / 1.3);
          const middle = { x: picture.width() / 2, y: picture.height() / 2 };
          picture.zoom({ level, renderedPosition: middle });
        }
      });
    }
    frame.querySelector('[data-save]')?.addEventListener('click', () => {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(
        picture.png({ output: 'blob', full: true, scale: 2, bg: colorsOf(frame)['surface'] }),
      );
      link.download = 'network.png';
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
    });
    if (!(controls instanceof HTMLFormElement)) return;
    controls.addEventListener('input', ({ target }) => {
      if (!(target instanceof HTMLInputElement) || target.name !== 'weakest') return;
      const output = controls.querySelector('[data-weakest]');
      if (output) output.textContent = `${target.value} %`;
      filter(picture, target.value, new FormData(controls).get('network')?.toString() ?? '');
    });
    controls.addEventListener('change', ({ target }) => {
      if (!(target instanceof HTMLElement) || target.getAttribute('name') === 'who') return;
      const network = new FormData(controls).get('network')?.toString() ?? '';
      filter(picture, new FormData(controls).get('weakest')?.toString() ?? '', network);
      void show(addressOf(controls), ['paths']);
    });
    // Changes pages and sorts the list without a reload, so that the picture stays where the user has moved it.
    document
      .getElementById('paths')
      ?.closest('main')
      ?.addEventListener('click', (event) => {
        const link = event.target instanceof Element ? event.target.closest('#paths a') : null;
        if (!(link instanceof HTMLAnchorElement) || link.pathname !== location.pathname) return;
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        const who = new URL(link.href).searchParams.get('who') ?? '';
        mark(picture, who);
        void show(link.href, ['paths', 'person']);
      });

    /** @param {string} who */
    function choose(who) {
      mark(picture, who);
      const url = new URL(location.href);
      url.searchParams.set('who', who);
      void show(url.href, ['person']);
    }
  }

  /** @param {HTMLFormElement} form */
  function addressOf(form) {
    const url = new URL(form.action);
    for (const [name, value] of new FormData(form)) {
      if (value !== '') url.searchParams.set(name, value.toString());
    }
    return url.href;
  }

  let asked = 0;

  /** @param {Element} place Returns the text of the focused link in this element, or null if the focus is elsewhere. */
  function textOfFocus(place) {
    const link = document.activeElement;
    return link instanceof HTMLAnchorElement && place.contains(link) ? toLinkText(link) : null;
  }

  /**
   * Moves the focus to the link that replaced the focused link, so that keyboard users can continue at the same place.
   * If this link does not exist, the first link gets the focus. For example, the last page has no link to the next
   * page.
   *
   * @param {Element} place
   * @param {string} text
   */
  function focusLink(place, text) {
    const links = [...place.querySelectorAll('a')];
    const same = links.find((link) => toLinkText(link) === text) ?? links[0];
    same?.focus();
  }

  /** @param {HTMLAnchorElement} link Returns the link's text without the arrow that shows the sort order. */
  function toLinkText(link) {
    return link.firstChild?.textContent ?? '';
  }

  /**
   * Fetches another page, and replaces these parts of the current page with that page's parts.
   *
   * @param {string} address
   * @param {string[]} ids
   */
  async function show(address, ids) {
    asked += 1;
    const turn = asked;
    const response = await fetch(address);
    if (!response.ok || turn !== asked) return;
    const next = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const id of ids) {
      const part = next.getElementById(id);
      const place = document.getElementById(id);
      if (!part || !place) continue;
      const text = textOfFocus(place);
      place.replaceChildren(...part.childNodes);
      if (text !== null) focusLink(place, text);
    }
    document.dispatchEvent(new CustomEvent('page-refreshed'));
  }
}
