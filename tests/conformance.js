// docs/conformance.md as a program: `node tests/conformance.js kit` reads the folder that `translate
// tables conformance` writes, and nothing else; it prints how many of its cases it agrees with.
'use strict';
const { readFileSync } = require('node:fs');
const read = (name) => readFileSync(`${process.argv[2]}/${name}`, 'utf-8');
const lines = (name) => read(name).split('\n').filter(Boolean).map((line) => JSON.parse(line));
class Refused extends Error {}
const refuse = (why) => { throw new Refused(why); };

const releases = Object.keys(JSON.parse(read('releases.json')));
const runpod = JSON.parse(read('dialect.runpod.json'));
const tables = { flag: lines('flags.jsonl'), fact: lines('grammar.jsonl') };
const PLAIN = ['switch', 'toggle', 'bool-value', 'int', 'size', 'size-or-auto', 'float', 'str', 'optional-str', 'list', 'append'];
const isSwitch = (flag) => flag.kind === 'switch' || flag.kind === 'toggle';
const capitals = (flag) => flag.slice(2).toUpperCase().replace(/-/g, '_');
const isPlain = (flag) => PLAIN.includes(flag.kind) && !(flag.element || '').startsWith('named-path') && !flag.syntax;

// What a release accepts: flags by name, [flag, whether it switches off] by spelling, the grammar.
function catalog(release) {
  const at = releases.indexOf(release);
  const holds = (line) => releases.indexOf(line.since || releases[0]) <= at && (!line.until || releases.indexOf(line.until) >= at);
  const made = { flags: new Map(), keys: new Map(), spellings: new Map(), grammar: {} };
  for (const line of tables.fact.filter(holds)) made.grammar[line.fact] = line.value;
  for (const line of tables.flag.filter(holds)) {
    made[line.flag.includes('.') ? 'keys' : 'flags'].set(line.flag, line);
    for (const name of [line.flag, ...(line.aliases || [])]) if (!name.includes('.')) made.spellings.set(name, [line, false]);
    for (const name of line.negations || []) made.spellings.set(name, [line, true]);
  }
  return made;
}
const catalogs = new Map(releases.map((release) => [release, catalog(release)]));

class Float { constructor(number) { this.number = number; } toJSON() { return this.number; } }
const SIZES = { k: [1000n, 1], m: [1000n, 2], g: [1000n, 3], t: [1000n, 4], K: [1024n, 1], M: [1024n, 2], G: [1024n, 3], T: [1024n, 4] };

function integer(text) {
  if (!/^\s*[+-]?\d+(_\d+)*\s*$/.test(text)) refuse(`${text} is no integer`);
  return BigInt(text.replace(/_/g, ''));
}

function size(text, suffixes = 'kKmMgGtT') {
  const match = /^(\d+)(\.\d+)?([kKmMgGtT])$/.exec(text.trim());
  if (!match || !suffixes.includes(match[3])) return integer(text);
  const [base, power] = SIZES[match[3]];
  if (base === 1000n) return BigInt(Math.trunc(Number(match[1] + (match[2] || '')) * Number(base ** BigInt(power))));
  return match[2] ? refuse('decimals go with decimal suffixes') : BigInt(match[1]) * base ** BigInt(power);
}

function float(text) {
  const match = /^([+-]?)(?:(inf(?:inity)?)|(nan)|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/i.exec(text.trim().replace(/(\d)_(?=\d)/g, '$1'));
  if (!match) return refuse(`${text} is no number`);
  return new Float(Number(match[2] ? `${match[1]}Infinity` : match[3] ? NaN : match[0]));
}

function choice(flag, text) {
  if (flag.choices.includes(text)) return text;
  const folded = (flag.fold === 'case-dash' ? text.replace(/-/g, '_') : text).toLowerCase();
  return (flag.fold && flag.choices.find((item) => item.toLowerCase() === folded)) || refuse(`${text} is no choice`);
}

function whole(flag, kind, text, inVariable) {
  if (kind === 'size-or-auto' && ['auto', '-1'].includes(text.trim().toLowerCase())) return -1n;
  const value = inVariable ? size(text) : kind === 'int' ? integer(text) : size(text, flag.suffixes || '');
  if (flag.choices && !flag.choices.includes(Number(value))) refuse(`${text} is no choice`);
  return value;
}

// JSON with whole numbers as BigInt, as Python tells them apart.
function json(text) {
  const marked = text.replace(/("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g, (all, string, number) => string || JSON.stringify(`\u0000${number}`));
  const back = (key, value) => (typeof value !== 'string' || value[0] !== '\u0000' ? value
    : /^.-?\d+$/.test(value) ? BigInt(value.slice(1)) : new Float(Number(value.slice(1))));
  try { return JSON.parse(marked, back); } catch { return refuse('no JSON'); }
}

// A text, a number or JSON as Python writes it, JSON without blanks.
function written(value, isQuoted = false) {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Float) {
    const text = String(value.number).replace(/^(-?)Infinity$/, '$1inf').replace('NaN', 'nan');
    return /^-?\d+$/.test(text) ? `${text}.0` : text.replace(/e-(\d)$/, 'e-0$1');
  }
  if (Array.isArray(value)) return `[${value.map((item) => written(item, true)).join(',')}]`;
  if (value && typeof value === 'object') return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${written(item, true)}`).join(',')}}`;
  return typeof value === 'string' && !isQuoted ? value : JSON.stringify(value);
}

const boolean = (text, on, off) => on.includes(text.toLowerCase())
  || (off.includes(text.toLowerCase()) ? false : refuse(`${text} is no boolean`));

// One token of a flag; of a list one element.
function fromToken(flag, text) {
  if ((flag.nullable && text === 'None') || (flag.empty && text === '')) return null;
  const kind = flag.kind === 'list' || flag.kind === 'append' ? flag.element || 'str' : flag.kind;
  if (['int', 'size', 'size-or-auto'].includes(kind)) return whole(flag, kind, text, false);
  if (kind === 'float') return float(text);
  if (kind === 'json' || (kind === 'json-or-str' && /^\s*\{[^]*\}\s*$/.test(text))) return json(text);
  if (kind === 'bool-value') return flag.bare ? boolean(text, ['true'], ['false']) : text !== '';
  return flag.choices ? choice(flag, text) : text;
}

function fromVariable(flag, text) {
  if (isSwitch(flag) || flag.kind === 'bool-value') return boolean(text.trim(), ['true', '1', 'yes', 'on'], ['false', '0', 'no', 'off']);
  if (['int', 'size', 'size-or-auto'].includes(flag.kind)) return whole(flag, flag.kind, text, true);
  if (flag.kind === 'list' || flag.kind === 'append') return elements(flag, text);
  return fromToken(flag, flag.choices ? text.trim() : text);
}

function elements(flag, text) {
  const isJson = /^[[{'"][^]*[\]}'"]$/.test(text.trim());
  return (isJson ? [json(text)].flat() : text.split(',').map((item) => item.trim())).map((item) => {
    if (item === null || (typeof item === 'object' && !(item instanceof Float))) refuse('no element');
    const one = written(item);
    return flag.element === 'int' ? whole(flag, 'int', one, true) : fromToken(flag, one);
  });
}

function dashed(token, grammar) {
  const [key] = token.split(grammar.dotted || grammar.dotted_underscores ? /[=.]/ : '=', 1);
  return token.startsWith('--') ? key.replace(/_/g, '-') + token.slice(key.length) : token;
}

// The option that a token is: [flag, whether it switches off, value]; null for a value.
function option(token, { spellings }) {
  if (token[0] !== '-' || token.length === 1) return null;
  const [key] = token.split('=', 1);
  const value = key === token ? null : token.slice(key.length + 1);
  if (spellings.has(key)) return [...spellings.get(key), value];
  if (key === '-h') return refuse('help');
  const found = [];
  for (const [name, one] of spellings) {
    if (key.startsWith('--') ? name.startsWith(key) : name.startsWith(token)) found.push([...one, value]);
    else if (!key.startsWith('--') && name === token.slice(0, 2)) found.push([...one, token.slice(2)]);
  }
  if (key.startsWith('--') && '--help'.startsWith(key)) found.push(null);
  if (found.length === 1 && found[0]) return found[0];
  if (!found.length && (token.includes(' ') || /^-\d+$|^-\d*\.\d+$/.test(token))) return null;
  return refuse(`${token} is unknown, or of several`);
}

// Dotted keys, as one JSON each behind all else.
function dotted(tokens, { grammar }) {
  const kept = [], objects = new Map();
  for (let at = 0; at < tokens.length; at++) {
    const [key, ...rest] = tokens[at].split('=');
    if (!(grammar.dotted || grammar.dotted_texts) || key[0] !== '-' || !key.includes('.')) { kept.push(tokens[at]); continue; }
    if (!rest.length && ++at === tokens.length) refuse('no value');
    const text = rest.length ? rest.join('=') : tokens[at];
    const [name, ...keys] = key.replace(/\+$/, '').split('.');
    let value = key.endsWith('+') ? text.split(',') : text;
    if (typeof value === 'string' && !grammar.dotted_texts) value = keyed(text, grammar.dotted_sizes);
    objects.set(name, merge(objects.get(name) || {}, keys, value));
  }
  for (const [name, value] of objects) kept.push(name, written(value));
  return kept;
}

// The value of one key: JSON, a size, or a text.
function keyed(text, sizes) {
  try { return json(text); } catch { /* not JSON */ }
  try { return sizes ? size(text) : text; } catch { return text; }
}

function merge(object, [key, ...others], value) {
  const is = (item) => item && typeof item === 'object' && !(item instanceof Float) && !Array.isArray(item);
  if (others.length) merge(is(object[key]) ? object[key] : (object[key] = {}), others, value);
  else if (is(object[key]) && is(value)) for (const name of Object.keys(value)) merge(object[key], [name], value[name]);
  else object[key] = Array.isArray(object[key]) && Array.isArray(value) ? [...object[key], ...value] : value;
  return object;
}

// Flag → value, with the model as `--model`; `touch` is called with each flag.
function parse(given, release, touch, isWhole = true) {
  const { grammar, spellings } = catalogs.get(release), settings = new Map(), served = grammar.served_needs_model;
  let tokens = [...given];
  const asked = tokens.findIndex((token) => /^--model(=|$)/.test(token)), rule = grammar.model_option;
  if (asked >= 0 && rule && rule !== 'ignored') {
    const joined = tokens[asked].includes('=');
    if (rule === 'absent' || (rule === 'refused' && !joined) || (!joined && asked === tokens.length - 1)) refuse('--model');
    const [first, second] = tokens.splice(asked, joined ? 1 : 2);
    tokens.unshift(joined ? first.slice('--model='.length) : second);
  }
  if (isWhole && served && (tokens[0] || '')[0] === '-' && tokens.some((token) => dashed(token, grammar).split('=', 1)[0] === served)) refuse('the model comes first');
  tokens = tokens.map((token) => dashed(token, grammar)).flatMap((token, at, all) => {
    const match = /^-O=?(.*)$/.exec(token), target = grammar.O && grammar.O['-O3'];
    if (!match || target !== 'optimization-level' || (!match[1] && !/^[0-3]$/.test(all[at + 1] || ''))) return [token];
    return [`--${target}`, match[1]].filter(Boolean);
  });
  tokens = dotted(tokens, { grammar });
  const models = [], end = tokens.includes('--') ? tokens.indexOf('--') : tokens.length;
  const options = tokens.map((token, at) => (at < end ? option(token, { spellings }) : null));
  for (let at = 0; at < tokens.length; at++) {
    if (at === end) continue;
    if (!options[at]) { if (models.push(tokens[at]) > 1) refuse('a second model'); continue; }
    const [flag, isOff, value] = options[at];
    touch(flag);
    if (isSwitch(flag)) { settings.set(flag.flag, value === null ? !isOff : refuse('a value')); continue; }
    const values = value === null ? [] : [value];
    const most = value !== null ? 0 : flag.kind === 'list' ? Infinity : 1;
    while (values.length < most && at + 1 < end && !options[at + 1]) values.push(tokens[++at]);
    if (!values.length && !flag.bare) refuse('no value');
    const read = values.map((text) => fromToken(flag, text));
    const one = flag.kind === 'list' ? read : values.length ? read[0] : true;
    settings.set(flag.flag, flag.kind === 'append' ? [...(settings.get(flag.flag) || []), one] : one);
  }
  if (models.length) settings.set('--model', models[0]);
  else if (isWhole && grammar.model_required) refuse('no model');
  return settings;
}

function write(settings, release) {
  const { flags } = catalogs.get(release), line = [];
  if (settings.has('--model')) line.push(settings.get('--model'));
  for (const name of [...settings.keys()].filter((key) => key !== '--model').sort()) {
    const flag = flags.get(name), value = settings.get(name);
    const items = flag.kind === 'list' || flag.kind === 'append' ? value : [flag.kind === 'bool-value' && !value ? flag.false : value];
    if (isSwitch(flag)) line.push(...(value ? [name] : (flag.negations || []).slice(-1)));
    else if (flag.kind === 'list' && value.length > 1) line.push(name, ...value.map((item) => written(item)));
    else line.push(...items.map((item) => (item === true && flag.kind === 'optional-str' ? name : `${name}=${written(item)}`)));
  }
  return line;
}

function envToLine(env, release, dialect, touch) {
  const { flags, keys } = catalogs.get(release), settings = new Map(), parts = [];
  const prefix = dialect === 'runpod' ? '' : dialect.split(':')[1];
  const names = new Map([...flags.keys()].map((flag) => [prefix + capitals(flag), flag]));
  let extra = [];
  for (const [name, text] of Object.entries(env)) {
    const listed = (prefix === '' && runpod[name]) || {};
    if (['', 'None'].includes(text.trim()) || listed.role === 'reserved' || (listed.unset || []).includes(text)) continue;
    if (dialect === 'runpod' && name === runpod['@dialect'].extra_args) { extra = words(text); continue; }
    const [whole, ...path] = name.split('__');
    const flag = flags.get(listed.flag || names.get(name) || names.get(whole));
    if (!flag) continue;
    touch(flag);
    if (path.length && !names.has(name)) parts.push([flag, path.map((key) => key.toLowerCase()), text]);
    else if (!settings.has(flag.flag) || names.has(name)) settings.set(flag.flag, fromVariable(flag, text));
  }
  for (const [flag, path, text] of parts) {
    const { kind } = keys.get(`${flag.flag}.${path.join('.')}`) || {};
    const part = merge({}, path, kind === 'str' || kind === 'choice' ? text : keyed(text, true));
    settings.set(flag.flag, merge({ of: settings.get(flag.flag) || {} }, ['of'], part).of);
  }
  for (const [name, value] of parse(extra, release, touch, false)) {
    const before = flags.get(name).kind === 'append' ? settings.get(name) || [] : null;
    settings.set(name, before ? [...before, ...value] : value);
  }
  return write(settings, release);
}

// The words of a text, as a POSIX shell splits it.
const words = (text) => (text.match(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/g) || [])
  .map((word) => word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g, (all, one, two, three) => one ?? (two === undefined ? three : two.replace(/\\(["\\$`])/g, '$1'))));

function toVariables(settings, release) {
  const { flags } = catalogs.get(release), env = {};
  for (const [name, value] of settings) {
    const flag = flags.get(name);
    if ((flag.kind === 'switch' && !value) || value === null) continue;
    const isPlainText = (item) => /^[^[{'"\s]/.test(item) && item === item.trim() && !item.includes(',');
    const joined = Array.isArray(value) && value.map((item) => written(item)).every(isPlainText);
    env[`MY_${capitals(name)}`] = joined ? value.map((item) => written(item)).join(',') : written(value);
  }
  return env;
}

// Whether settings are what the parser stored, as far as these say it.
function same(settings, values) {
  const number = (key, item) => (typeof item === 'bigint' ? Number(item) : item);
  return Object.entries(values).every(([name, value]) => {
    const mine = settings.get(`--${name.replace(/_/g, '-')}`);
    const read = Array.isArray(value) && typeof mine === 'string' ? mine.split(',') : mine; // the element `comma`
    return mine === undefined || JSON.stringify(read, number) === JSON.stringify(value);
  });
}

// What becomes of the input of a case, and whether the line is read to the values.
function answer({ direction, input, release, dialect, values = {} }, touch) {
  try {
    const line = direction === 'env-to-args' ? envToLine(input, release, dialect, touch) : input;
    const settings = parse(line, release, touch);
    return [line === input ? toVariables(settings, release) : line, same(settings, values)];
  } catch (error) {
    if (error instanceof Refused) return [null, true];
    throw error;
  }
}

const inOrder = (value) => JSON.stringify(value && !Array.isArray(value) ? Object.entries(value).sort() : value);
const counts = { plain: 0, agreed: 0, others: 0, agreedOfOthers: 0, disagreed: [] };
for (const item of lines('cases.jsonl')) {
  let plain = true;
  const [made, isSame] = answer(item, (flag) => { plain = plain && isPlain(flag); });
  const agreed = inOrder(made) === inOrder(item.line || item.variables || null) && (isSame || !plain);
  counts[plain ? 'plain' : 'others'] += 1;
  counts[plain ? 'agreed' : 'agreedOfOthers'] += agreed;
  if (plain && !agreed) counts.disagreed.push({ ...item, made, isSame });
}
process.stdout.write(`${JSON.stringify(counts)}\n`);
