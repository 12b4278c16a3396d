'use strict';
// Reads status.json each second, and shows it. Names may come from peers, so all texts become text
// nodes: no text is ever parsed as HTML.
const period = 1000;
const sectionPeriods = 5;
const place = id => document.getElementById(id);

function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}
const text = (value, name = 'td') => make(name, {className: 'text'}, value);
const number = value => make('td', {}, value);

function showCount(value) {
  if (value === null) return '–';
  return value < 10 && value % 1 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}
function showOctets(value) {
  if (value === null) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; ++unit) value /= 1024;
  return `${value < 10 && unit ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
function showTime(seconds) {
  if (seconds === null) return '> 100 s';
  if (seconds < 1e-3) return `${+(seconds * 1e6).toPrecision(3)} µs`;
  if (seconds < 1) return `${+(seconds * 1e3).toPrecision(3)} ms`;
  return `${+seconds.toPrecision(3)} s`;
}

function fill(table, columns, rows, whenEmpty) {
  const head = make('thead', {}, make('tr', {}, ...columns.map(([title, kind]) =>
    make('th', {className: kind ?? '', scope: 'col'}, title))));
  const lines = rows.length ? rows.map(cells => make('tr', {}, ...cells))
    : [make('tr', {}, make('td', {className: 'empty', colSpan: columns.length}, whenEmpty))];
  table.replaceChildren(head, make('tbody', {}, ...lines));
}

// The metrics of one moment, by name and labels.
class Moment {
  constructor(status) {
    this.at = performance.now() / 1000;
    this.families = new Map(status.metrics.map(family => [family.name, family.samples]));
  }
  samples(name) { return this.families.get(name) ?? []; }
  find(name, label, value) {
    return this.samples(name).find(sample => label === undefined || sample.labels[label] === value);
  }
  value(name, label, value) { return this.find(name, label, value)?.value ?? 0; }
}
let before = null;

// The difference to the moment before, per second; null at the first moment.
function rate(now, read) {
  if (!before) return null;
  return Math.max(0, (read(now) - read(before)) / (now.at - before.at));
}
const sum = (moment, name) => moment.samples(name).reduce((total, sample) => total + sample.value, 0);

function showSummary(status, now) {
  const facts = [
    ['Connections of clients', showCount(now.value('perigee_connections', 'side', 'server'))],
    ['Connections to servers', showCount(now.value('perigee_connections', 'side', 'client'))],
    ['Requests per second', showCount(rate(now, moment => sum(moment, 'perigee_requests_total')))],
    ['Calls per second', showCount(rate(now, moment => sum(moment, 'perigee_calls_total')))],
    ['Requests in progress', showCount(now.value('perigee_requests_in_progress'))],
    ['Threads of the process', showCount(status.process.threads)],
    ['Memory of the process', showOctets(status.process.resident_bytes)],
    ['Thread strategy', status.orb.thread_strategy],
    ['Process', String(status.process.id)],
  ];
  place('summary').replaceChildren(...facts.map(([name, value]) =>
    make('div', {}, make('dt', {}, name), make('dd', {}, value))));
}

function quantile(sample, share) {
  let left = share * sample.count;
  for (const [bound, count] of sample.buckets) if ((left -= count) <= 0) return bound;
  return sample.buckets.at(-1)?.[0] ?? 0;
}
const bounds = [];
for (let decade = 1e-6; decade < 200; decade *= 10) bounds.push(decade, 2 * decade, 5 * decade);
bounds.length = 25;

function histogram(sample) {
  const svgSpace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(svgSpace, 'svg');
  svg.setAttribute('viewBox', '0 0 130 24');
  svg.setAttribute('role', 'img');
  const title = document.createElementNS(svgSpace, 'title');
  title.textContent = sample.buckets.map(([bound, count]) =>
    `${bound === null ? '' : '≤ '}${showTime(bound)}: ${showCount(count)}`).join('\n');
  svg.append(title);
  const most = Math.max(1, ...sample.buckets.map(bucket => bucket[1]));
  for (const [bound, count] of sample.buckets) {
    const index = bound === null ? bounds.length : bounds.findIndex(each => bound < each * 1.01);
    const height = Math.max(1, 24 * count / most);
    const bar = document.createElementNS(svgSpace, 'rect');
    for (const [name, value] of Object.entries({x: 5 * index, y: 24 - height, width: 4, height}))
      bar.setAttribute(name, value);
    svg.append(bar);
  }
  return svg;
}

function showOperations(table, now, name, whenEmpty) {
  const samples = [...now.samples(name)].sort((a, b) => b.count - a.count);
  const rows = samples.map(sample => [
    text(sample.labels.operation),
    number(showCount(rate(now, moment =>
      moment.find(name, 'operation', sample.labels.operation)?.count ?? 0))),
    number(showCount(sample.count)),
    number(showTime(quantile(sample, 0.5))),
    number(showTime(quantile(sample, 0.99))),
    make('td', {}, histogram(sample)),
  ]);
  fill(table, [['operation', 'text'], ['per second'], ['in all'], ['median'], ['99 %'], ['1 µs to 100 s']], rows,
    whenEmpty);
}

function showOutcomes(now) {
  const names = {perigee_requests_total: 'request', perigee_calls_total: 'call'};
  const rows = [];
  for (const [name, kind] of Object.entries(names))
    for (const {labels, value} of now.samples(name))
      if (value)
        rows.push([text(kind), text(labels.outcome.replaceAll('_', ' ')),
          number(showCount(rate(now, moment => moment.value(name, 'outcome', labels.outcome)))),
          number(showCount(value))]);
  fill(place('outcomes'), [['of a', 'text'], ['outcome', 'text'], ['per second'], ['in all']], rows,
    'No request or call has ended yet.');
}

function showConnections(now) {
  const rows = [['server', 'of clients'], ['client', 'to servers']].map(([side, title]) => {
    const total = name => now.value(name, 'side', side);
    const perSecond = name => rate(now, moment => moment.value(name, 'side', side));
    return [text(title), number(showCount(total('perigee_connections'))),
      number(showCount(total('perigee_connections_opened_total'))),
      number(showCount(perSecond('perigee_received_messages_total'))),
      number(showOctets(perSecond('perigee_received_bytes_total'))),
      number(showCount(perSecond('perigee_sent_messages_total'))),
      number(showOctets(perSecond('perigee_sent_bytes_total'))),
      number(showOctets(total('perigee_send_queue_bytes')))];
  });
  fill(place('connections'), [['', 'text'], ['open'], ['opened'], ['messages in/s'], ['octets in/s'],
    ['messages out/s'], ['octets out/s'], ['unsent']], rows, '');
}

function showLimits(limits) {
  fill(place('limits'), [['what', 'text'], ['used'], ['limit'], [''], ['option', 'text']], limits.map(limit => {
    const show = limit.unit === 'bytes' ? showOctets : showCount;
    const share = limit.limit ? limit.used / limit.limit : 0;
    const bar = make('i', {className: share > 0.9 ? 'full' : ''});
    bar.style.width = `${Math.min(100, 100 * share)}%`;
    return [text(limit.name), number(show(limit.used)), number(show(limit.limit)),
      make('td', {}, make('span', {className: 'meter'}, bar)), text(limit.option)];
  }), '');
}

function showPoas(poas) {
  const rows = poas.adapters.map(poa => {
    const name = text(poa.name.at(-1));
    name.style.paddingLeft = `${0.6 + Math.min(8, poa.name.length - 1)}rem`;
    name.title = poa.name.join('/');
    return [name, text(poa.manager), text(poa.state), number(showCount(poa.active_objects))];
  });
  if (poas.is_cut) rows.push([make('td', {className: 'empty', colSpan: 4}, 'There are more POAs.')]);
  fill(place('poas'), [['POA', 'text'], ['manager', 'text'], ['state', 'text'], ['active objects']], rows,
    'There are no POAs.');
}

// A table of a service. Its rows may lead to further tables.
class Section {
  constructor(name, title) {
    this.name = name;
    this.path = [];  // {key, title} of the rows that were opened
    this.positions = [''];  // of the parts of the table that were shown
    this.trail = make('p', {className: 'trail'});
    this.table = make('table', {});
    this.note = make('p', {className: 'note'});
    this.element = make('section', {}, make('h2', {}, title), this.trail,
      make('div', {className: 'wide'}, this.table), this.note);
    this.load();
  }
  // Keys are already escaped for a URL.
  address() {
    return `section.json?name=${this.name}${this.path.map(step => `&path=${step.key}`).join('')}` +
      `&after=${this.positions.at(-1)}`;
  }
  go(path, positions) {
    [this.path, this.positions] = [path, positions];
    this.load();
  }
  async load() {
    const address = this.address();
    try {
      const response = await fetch(address, {cache: 'no-store'});
      if (!response.ok) throw new Error(await response.text());
      const table = await response.json();
      if (address === this.address()) this.show(table);
    } catch (error) {
      if (address === this.address()) this.note.textContent = `This table cannot be read: ${error.message}`;
    }
  }
  step(title, go) {
    const button = make('button', {type: 'button'}, title);
    button.addEventListener('click', go);
    return button;
  }
  show(table) {
    const trail = [{title: 'top', key: null}, ...this.path].map((step, depth) => depth === this.path.length
      ? make('span', {}, step.title) : this.step(step.title, () => this.go(this.path.slice(0, depth), [''])));
    this.trail.replaceChildren(...trail.flatMap((step, index) => index ? [' / ', step] : [step]));
    fill(this.table, table.columns.map(title => [title, 'text']), table.rows.map(row =>
      row.cells.map((cell, index) => text(index || !row.key ? cell
        : this.step(cell || '(empty)', () => this.go([...this.path, {key: row.key, title: cell || '(empty)'}], ['']))))),
      'There are no entries.');
    this.note.replaceChildren(table.note);
    if (this.positions.length > 1)
      this.note.append(' ', this.step('previous', () => this.go(this.path, this.positions.slice(0, -1))));
    if (table.next) this.note.append(' ', this.step('next', () => this.go(this.path, [...this.positions, table.next])));
  }
}
const sections = new Map();
let periods = 0;

function showSections(list) {
  for (const [name, section] of sections)
    if (!list.some(each => each.name === name)) {
      section.element.remove();
      sections.delete(name);
    }
  const isTime = ++periods % sectionPeriods === 0;
  for (const {name, title} of list) {
    if (sections.has(name)) {
      if (isTime) sections.get(name).load();
      continue;
    }
    sections.set(name, new Section(name, title));
    place('sections').append(sections.get(name).element);
  }
}

function show(status) {
  const now = new Moment(status);
  const name = [status.orb.id, status.orb.server_id].filter(Boolean).join(', ');
  place('orb').textContent = name;
  document.title = name ? `Perigee: ${name}` : 'Perigee';
  showSummary(status, now);
  showOperations(place('requests'), now, 'perigee_request_duration_seconds', 'No request has ended yet.');
  showOperations(place('calls'), now, 'perigee_call_duration_seconds', 'No call has ended yet.');
  showOutcomes(now);
  showConnections(now);
  showLimits(status.limits);
  showPoas(status.poas);
  showSections(status.sections);
  before = now;
}

async function update() {
  const state = place('state');
  try {
    const response = await fetch('status.json', {cache: 'no-store'});
    if (!response.ok) throw new Error(await response.text());
    show(await response.json());
    state.className = '';
    state.textContent = 'Live';
  } catch (error) {
    state.className = 'lost';
    if (!state.textContent.startsWith('No answer'))
      state.textContent = `No answer since ${new Date().toLocaleTimeString()}: ${error.message}`;
  }
  setTimeout(update, period);
}
update();
