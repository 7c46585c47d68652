"""Laws of directed and partially directed graphs: order, d-separation, equivalence, classes. Syllabus: G6–G11."""

import xml.etree.ElementTree as ElementTree
from itertools import combinations, pairwise, permutations

import networkx
import numpy as np
import pytest
from tests.graphical.graphs import all_dags, moral_separated, random_arrows

from learnable.graphical import (
    CPDAG,
    DAG,
    PDAG,
    CyclicGraphError,
    faithfulness,
    four_orientations,
    from_bnlearn,
    gaussian_conditional,
    independent_pairs,
    linear_covariance,
    partial_correlation,
)


def test_every_parent_comes_first_and_a_cycle_is_shown():
    generator = np.random.default_rng(0)
    for _ in range(60):
        p = int(generator.integers(2, 9))
        graph = DAG.from_arrows(random_arrows(generator, p, 2.5))
        place = {node: k for k, node in enumerate(graph.order)}
        assert all(place[a] < place[b] for a, b in graph.directed_edges)
        reference = graph.to_networkx()
        for v in graph.nodes:
            assert set(graph.descendants(v)) == networkx.descendants(reference, v)
            assert set(graph.ancestors(v)) == networkx.ancestors(reference, v)
        any_arrows = generator.random((p, p)) < 0.35
        np.fill_diagonal(any_arrows, False)
        any_arrows &= ~np.triu(any_arrows.T, 1)
        acyclic = networkx.is_directed_acyclic_graph(
            networkx.from_numpy_array(any_arrows, create_using=networkx.DiGraph)
        )
        if acyclic:
            DAG.from_arrows(any_arrows)
            continue
        with pytest.raises(CyclicGraphError) as caught:
            DAG.from_arrows(any_arrows)
        cycle = caught.value.cycle
        assert cycle[0] == cycle[-1]
        assert len(set(cycle)) == len(cycle) - 1
        assert all(any_arrows[a, b] for a, b in pairwise(cycle))


def test_the_joint_law_is_the_product_and_obeys_d_separation():
    generator = np.random.default_rng(1)
    graph = DAG([("a", "c"), ("b", "c"), ("c", "d")], nodes=["d", "c", "b", "a"])
    tables = {"a": [0.3, 0.7], "b": [0.6, 0.4]}
    tables["c"] = generator.dirichlet(np.ones(3), size=(2, 2))  # parents in the order of the nodes: b, a
    tables["d"] = generator.dirichlet(np.ones(2), size=3)
    law = graph.joint(tables)
    for d, c, b, a in np.ndindex(law.shape):
        expected = tables["a"][a] * tables["b"][b] * tables["c"][b, a, c] * tables["d"][c, d]
        assert law[d, c, b, a] == pytest.approx(expected, rel=1e-12)
    ab = law.sum(axis=(0, 1))
    assert np.allclose(ab, np.outer(ab.sum(axis=1), ab.sum(axis=0)))
    with pytest.raises(ValueError, match="table of 'c'"):
        graph.joint(tables | {"c": [0.5, 0.5]})


def test_d_separation_agrees_with_the_moral_graph_and_its_witness_is_true():
    generator = np.random.default_rng(2)
    for _ in range(120):
        p = int(generator.integers(3, 8))
        graph = DAG.from_arrows(random_arrows(generator, p, 2.5))
        for _ in range(12):
            x, y, *rest = generator.permutation(p).tolist()
            given = rest[: int(generator.integers(0, p - 1))]
            found = graph.d_separation(x, y, given)
            assert found.separated == moral_separated(graph.arrows, x, y, given)
            anc = {v for v in graph.nodes if v in given or set(graph.descendants(v)) & set(given)}

            def passes(a, v, b, graph=graph, anc=anc, given=given):
                return v in anc if graph.arrows[a, v] and graph.arrows[b, v] else v not in given

            if found.separated:
                listed = {block.path for block in found.blocks}
                every = networkx.all_simple_paths(networkx.Graph(graph.skeleton), x, y) if _joined(graph, x, y) else ()
                assert listed == {tuple(path) for path in every}
                for block in found.blocks:
                    at = block.path.index(block.node)
                    assert not passes(*block.path[at - 1 : at + 2])
                    assert (block.why == "given") == (
                        block.node in given
                        and not (
                            graph.arrows[block.path[at - 1], block.node]
                            and graph.arrows[block.path[at + 1], block.node]
                        )
                    )
            else:
                path = found.open_path
                assert path[0] == x
                assert path[-1] == y
                assert len(set(path)) == len(path)
                assert all(graph.adjacency[a, b] for a, b in pairwise(path))
                assert all(passes(*three) for three in zip(path, path[1:], path[2:]))


def _joined(graph, x, y):
    skeleton = networkx.Graph(graph.skeleton)
    return x in skeleton and y in skeleton


def test_equivalence_is_equality_of_all_separations_on_four_nodes():
    generator = np.random.default_rng(3)
    graphs = list(all_dags(4))
    assert len(graphs) == 543  # the number of labelled DAGs on four nodes
    triples = [(i, j, S) for i, j in combinations(range(4), 2) for size in range(3)
               for S in combinations([k for k in range(4) if k not in (i, j)], size)]  # fmt: skip
    said = [tuple(moral_separated(arrows, *triple) for triple in triples) for arrows in graphs]
    for a, b in generator.integers(len(graphs), size=(1500, 2)).tolist():
        verdict = DAG.from_arrows(graphs[a]).markov_equivalent(DAG.from_arrows(graphs[b]))
        assert verdict.equivalent == (said[a] == said[b])
        assert verdict.equivalent == (not verdict.edges and not verdict.v_structures)


def test_an_arrow_of_the_class_is_one_that_all_members_have():
    classes: dict = {}
    for arrows in all_dags(4):
        graph = DAG.from_arrows(arrows)
        classes.setdefault((graph.skeleton, graph.v_structures), []).append(arrows)
    assert len(classes) == 185  # the number of equivalence classes on four nodes
    for members in classes.values():
        together = np.all(members, axis=0)
        for arrows in members:
            cpdag = DAG.from_arrows(arrows).cpdag()
            assert np.array_equal(cpdag.arrows, together)
            assert np.array_equal(cpdag.lines, (arrows | arrows.T) & ~(together | together.T))
        found = sorted(member.arrows.tobytes() for member in cpdag.members())
        assert found == sorted(arrows.tobytes() for arrows in members)
        assert any(np.array_equal(cpdag.member().arrows, arrows) for arrows in members)


def test_closing_a_class_with_knowledge_keeps_what_its_members_share():
    """R1–R4 are complete: with one more arrow known, exactly the arrows of all members that have it are made."""
    generator = np.random.default_rng(4)
    for _ in range(60):
        cpdag = DAG.from_arrows(random_arrows(generator, 5, 3.0)).cpdag()
        if not cpdag.lines.any():
            continue
        a, b = generator.choice(np.argwhere(cpdag.lines)).tolist()
        members = [member.arrows for member in cpdag.members() if member.arrows[a, b]]
        lines, arrows = cpdag.lines.copy(), cpdag.arrows.copy()
        lines[a, b] = lines[b, a] = False
        arrows[a, b] = True
        closed = PDAG.from_matrices(cpdag.nodes, arrows, lines).closed()
        assert np.array_equal(closed.arrows, np.all(members, axis=0))


def test_a_cpdag_is_refused_unless_it_is_one():
    nodes = ["a", "b", "c"]
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    none = np.zeros((3, 3), dtype=bool)
    with pytest.raises(ValueError, match="is not what its equivalence class says"):
        CPDAG(nodes, chain, none)
    square = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]], dtype=bool)
    with pytest.raises(ValueError, match="no directed acyclic graph"):
        CPDAG(list("abcd"), np.zeros((4, 4), dtype=bool), square)
    with pytest.raises(ValueError, match="no directed acyclic graph"):
        PDAG(undirected=[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]).extension()


def test_only_the_collider_has_another_law():
    generator = np.random.default_rng(5)
    for _ in range(20):
        law = generator.dirichlet(np.ones(24)).reshape(2, 3, 4)
        found = four_orientations(law)
        chain, back, fork, collider = found.values()
        assert np.allclose(chain.law, back.law, atol=1e-14)
        assert np.allclose(chain.law, fork.law, atol=1e-14)
        assert np.abs(chain.law - collider.law).max() > 1e-4
        xy, yz, y = law.sum(axis=2), law.sum(axis=0), law.sum(axis=(0, 2))
        assert np.allclose(chain.law, xy[:, :, None] * yz[None] / y[None, :, None], atol=1e-14)
        independent = law.sum(axis=(1, 2))[:, None] * law.sum(axis=(0, 1))[None, :]
        assert np.allclose(collider.law.sum(axis=1), independent, atol=1e-14)
        assert chain.graph.markov_equivalent(fork.graph)
        assert not chain.graph.markov_equivalent(collider.graph)


def test_unfaithful_laws_are_shown_by_their_triple():
    generator = np.random.default_rng(6)
    for _ in range(5):
        arrows = random_arrows(generator, 5, 2.0)
        weights = np.where(arrows, generator.uniform(0.4, 1.0, (5, 5)) * generator.choice([-1.0, 1.0], (5, 5)), 0.0)
        verdict = faithfulness(DAG.from_arrows(arrows), weights)
        assert verdict.markov_residual < 1e-12  # the Markov property holds for every weight
        assert verdict.n_triples == 80
    graph = DAG([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    weights = np.zeros((4, 4))
    weights[0, 1] = weights[0, 2] = weights[1, 3] = 1.0
    weights[2, 3] = -1.0
    verdict = faithfulness(graph, weights)
    assert not verdict
    violation = verdict.violations[0]
    assert (violation.x, violation.y, violation.given) == ("a", "d", ())
    assert violation.open_path in (("a", "b", "d"), ("a", "c", "d"))


def test_both_routes_to_conditionals_and_partial_correlations_agree():
    generator = np.random.default_rng(7)
    for _ in range(20):
        A = generator.standard_normal((6, 9)) * np.exp(generator.normal(size=(6, 1)) * 3.0)
        sigma = A @ A.T
        law = gaussian_conditional(sigma, of=[1, 4])
        rest = [0, 2, 3, 5]
        direct = sigma[np.ix_([1, 4], rest)] @ np.linalg.inv(sigma[np.ix_(rest, rest)])
        assert law.difference < 1e-10
        assert np.allclose(law.coef, direct, rtol=1e-6)
        assert np.allclose(law.precision @ law.covariance, np.eye(2), atol=1e-8)
        K = rest[: int(generator.integers(0, 5))]
        found = partial_correlation(sigma, 1, 4, K, n=40)
        assert found.value == pytest.approx(found.by_recursion, abs=1e-9)
        residual = gaussian_conditional(sigma[np.ix_([1, 4, *K], [1, 4, *K])], of=[0, 1]).covariance
        assert found.value == pytest.approx(residual[0, 1] / np.sqrt(residual[0, 0] * residual[1, 1]), abs=1e-9)
    theta = np.array([[2.0, 0.6, 0.0], [0.6, 2.0, 0.5], [0.0, 0.5, 1.5]])
    assert independent_pairs(theta) == [(0, 2)]
    assert partial_correlation(np.linalg.inv(theta), 0, 2, [1]).value == pytest.approx(0.0, abs=1e-14)
    with pytest.raises(ValueError, match="not positive definite"):
        gaussian_conditional(np.ones((2, 2)), of=[0])
    with pytest.raises(ValueError, match="n > 4"):
        partial_correlation(np.eye(3), 0, 1, [2], n=4)


def test_fisher_z_has_its_level():
    """Under independence the test rejects at level α, within the noise of the simulation."""
    generator = np.random.default_rng(8)
    rejected = []
    for _ in range(1500):
        z = generator.standard_normal(25)
        x, y = z + generator.standard_normal(25), z + generator.standard_normal(25)
        rejected.append(partial_correlation(np.cov([x, y, z]), 0, 1, [2], n=25).p_value < 0.1)
    assert abs(np.mean(rejected) - 0.1) < 4.0 * np.sqrt(0.09 / 1500)


def test_graphs_travel_and_their_names_are_escaped():
    nasty = '<script>"&\\'
    graph = PDAG([(nasty, "b"), ("b", "c")], [("c", "d"), (nasty, "e")])
    picture = ElementTree.fromstring(graph.to_svg(highlight=[("b", "c")]))
    assert nasty in [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "<script>" not in graph.to_svg()
    assert "<script>" not in graph.to_graphml()
    read = networkx.parse_graphml(graph.to_graphml().replace(' directed="false"', ""))
    assert {data["name"] for _, data in read.nodes(data=True)} == set(graph.nodes)
    assert '\\"&\\\\' in graph.to_dot()
    directed = {edge for edge in graph.to_networkx().edges if "undirected" not in graph.to_networkx().edges[edge]}
    assert directed == set(graph.directed_edges)
    dag = DAG([("a", "c"), ("b", "c"), ("c", "d")])
    assert set(from_bnlearn(dag.to_bnlearn()).directed_edges) == set(dag.directed_edges)
    with pytest.raises(ValueError, match="rename it"):
        DAG([("a:b", "c")]).to_bnlearn()


def test_arrows_lead_downwards_in_a_drawing():
    from learnable.graphical.drawing import layers

    generator = np.random.default_rng(9)
    for _ in range(20):
        graph = DAG.from_arrows(random_arrows(generator, 9, 3.0))
        level = layers(graph)
        assert all(level[i] < level[j] for i, j in np.argwhere(graph.arrows))
        ElementTree.fromstring(graph.to_svg())


def test_bad_graphs_are_refused():
    with pytest.raises(ValueError, match="two nodes are called 'a'"):
        DAG([], nodes=["a", "b", "a"])
    with pytest.raises(ValueError, match="no node 'z'"):
        DAG([("a", "z")], nodes=["a", "b"])
    with pytest.raises(ValueError, match="edge to itself"):
        DAG([("a", "a")])
    with pytest.raises(ValueError, match="both an arrow and a line"):
        PDAG([("a", "b")], [("b", "a")])
    with pytest.raises(ValueError, match="different nodes"):
        DAG([("a", "b")]).markov_equivalent(DAG([("a", "c")]))
    with pytest.raises(KeyError, match="no node 'z'"):
        DAG([("a", "b")]).parents("z")
    for order in permutations("abc"):
        assert DAG([("a", "b"), ("b", "c")], nodes=order).markov_equivalent(DAG([("b", "a"), ("b", "c")]))
    assert linear_covariance(DAG([], nodes=["a"]), [[0.0]]).shape == (1, 1)
