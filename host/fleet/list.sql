-- The machines of a store beside their peers, for `noisefloor fleet list`: tables and views of the
-- connection, which has the aggregates median(x) and spread(x). What is shown are views of JSON
-- objects, a row each.

PRAGMA temp_store=MEMORY;

-- The latest run of each machine. A run without a UUID is a machine of its own.
CREATE TEMP TABLE node AS
    SELECT id, sid, uuid, nullif(began, '') AS began, product, bios, stage, cores, mode, verdict,
        verdict='pass' AND policy_verdict IS NULL AND remark<>'' AS has_remark,
        longest_ns, noise_of_stage_ppm AS noise_ppm, smi_per_hour, sources
    FROM (SELECT max(id) AS id FROM run WHERE uuid<>'' GROUP BY uuid
        UNION ALL SELECT id FROM run WHERE uuid='')
    JOIN runs USING (id);

CREATE TEMP TABLE peers AS
    SELECT product, bios, stage, count(*) AS nodes,
        sum(verdict='none') AS "none", sum(verdict='pass') AS "pass",
        sum(verdict='fail') AS "fail", sum(verdict='incomplete') AS "incomplete",
        sum(verdict='error') AS "error", sum(has_remark) AS remarks,
        count(longest_ns) AS known_longest_ns, max(longest_ns) AS max_longest_ns,
        median(longest_ns) AS median_longest_ns, spread(longest_ns) AS spread_longest_ns,
        count(noise_ppm) AS known_noise_ppm, max(noise_ppm) AS max_noise_ppm,
        median(noise_ppm) AS median_noise_ppm, spread(noise_ppm) AS spread_noise_ppm,
        count(smi_per_hour) AS known_smi_per_hour, max(smi_per_hour) AS max_smi_per_hour,
        median(smi_per_hour) AS median_smi_per_hour, spread(smi_per_hour) AS spread_smi_per_hour
    FROM node WHERE cores GROUP BY product, bios, stage ORDER BY product, bios, stage;
CREATE UNIQUE INDEX temp.peers_of ON peers(product, bios, stage);

-- A source begins at a period, `n`, that is more than one in a hundred above the one before.
CREATE TEMP TABLE has AS
    SELECT peers.rowid AS peers, node.id AS node, value->>1 AS cause, value->>0 AS period_ns
    FROM node JOIN peers USING (product, bios, stage), json_each(sources) WHERE cores;
CREATE TEMP TABLE first AS
    SELECT peers, cause, period_ns
    FROM (SELECT *, lag(period_ns) OVER (PARTITION BY peers, cause ORDER BY period_ns) AS before
        FROM (SELECT DISTINCT peers, cause, period_ns FROM has))
    WHERE before IS NULL OR before<0.99*period_ns;
CREATE INDEX temp.first_of ON first(peers, cause, period_ns);
CREATE TEMP VIEW member AS
    SELECT *, (SELECT max(period_ns) FROM first
            WHERE peers=has.peers AND cause=has.cause AND period_ns<=has.period_ns) AS n
    FROM has;
CREATE TEMP TABLE source AS
    SELECT peers, cause, n, CAST(median(period_ns) AS INTEGER) AS period_ns,
        count(DISTINCT node) AS nodes, (SELECT nodes FROM peers WHERE rowid=member.peers) AS of
    FROM member GROUP BY peers, cause, n;

-- Figures that are far from the median, and sources that a node has and most of its peers do not,
-- or the other way round.
CREATE TEMP TABLE differ AS
    SELECT id AS node, json_object('figure', 'longest_ns', 'value', longest_ns,
            'median', median_longest_ns) AS what
    FROM node JOIN peers USING (product, bios, stage)
    WHERE cores AND known_longest_ns>=5
        AND abs(longest_ns-median_longest_ns)>6*spread_longest_ns
    UNION ALL SELECT id, json_object('figure', 'noise_ppm', 'value', noise_ppm,
            'median', median_noise_ppm)
    FROM node JOIN peers USING (product, bios, stage)
    WHERE cores AND known_noise_ppm>=5 AND abs(noise_ppm-median_noise_ppm)>6*spread_noise_ppm
    UNION ALL SELECT id, json_object('figure', 'smi_per_hour', 'value', smi_per_hour,
            'median', median_smi_per_hour)
    FROM node JOIN peers USING (product, bios, stage)
    WHERE cores AND known_smi_per_hour>=5
        AND abs(smi_per_hour-median_smi_per_hour)>6*spread_smi_per_hour
    UNION ALL SELECT node, json_object('source', json_object('period_ns', period_ns,
            'cause', cause), 'has', json(iif(is_there, 'true', 'false')), 'nodes', nodes, 'of', of)
    FROM (SELECT node, 1 AS is_there, source.* FROM source JOIN member USING (peers, cause, n)
            WHERE of>=5 AND 2*nodes<=of
        UNION SELECT id, 0, source.*
            FROM source JOIN peers ON peers.rowid=source.peers
            JOIN node USING (product, bios, stage)
            WHERE of>=5 AND 2*source.nodes>of AND source.nodes<of AND cores
                AND (id, cause, n) NOT IN (SELECT node, cause, n FROM member));

-- Calls of firmware, from the lines of runs of mode=services.
CREATE TEMP TABLE call(run, stage TEXT, service TEXT, stops, p50_ns, max_ns);

CREATE TEMP VIEW shown_groups AS
    SELECT json_object('product', product, 'bios', bios, 'stage', stage, 'nodes', nodes,
        'none', "none", 'pass', "pass", 'fail', "fail", 'incomplete', "incomplete",
        'error', "error", 'remarks', remarks,
        'longest_ns', json(iif(known_longest_ns,
            json_object('median', median_longest_ns, 'max', max_longest_ns), NULL)),
        'noise_ppm', json(iif(known_noise_ppm,
            json_object('median', median_noise_ppm, 'max', max_noise_ppm), NULL)),
        'smi_per_hour', json(iif(known_smi_per_hour,
            json_object('median', median_smi_per_hour, 'max', max_smi_per_hour), NULL)),
        'sources', json((SELECT json_group_array(json_object(
                'period_ns', period_ns, 'cause', cause, 'nodes', nodes))
            FROM (SELECT * FROM source WHERE peers=peers.rowid ORDER BY nodes DESC, period_ns))))
    FROM peers ORDER BY rowid;

-- Of each service, uuid is that of the longest call.
CREATE TEMP VIEW shown_calls AS
    SELECT json_object('product', product, 'bios', bios, 'stage', call.stage, 'service', service,
        'nodes', count(*), 'stops', sum(stops), 'p50_ns', CAST(median(p50_ns) AS INTEGER),
        'max_ns', max(max_ns), 'uuid', uuid)
    FROM call JOIN node ON node.id=call.run
    GROUP BY product, bios, call.stage, service ORDER BY product, bios, call.stage, service;

CREATE TEMP VIEW shown_differ AS
    SELECT json_patch(json_object('uuid', uuid, 'sid', sid, 'began', began), what)
    FROM differ JOIN node ON node.id=differ.node
    ORDER BY product, bios, stage, uuid, sid, differ.rowid;
